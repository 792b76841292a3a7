"""What people suffer from, take, eat and must not eat."""

from memory.extraction.claims import Aspect
from memory.extraction.families.phrasebook.templates import told

_ALLERGIES = """
    {who} <be> [(so|really|very|severely|deathly|highly|mildly|slightly|badly|violently|extremely|super|a bit|a
        little|seriously|anaphylactically)] [(allergic|intolerant|sensitive|hypersensitive|anaphylactic)] (allergic|
        intolerant|sensitive|hypersensitive|anaphylactic) to {allergies}
    {who} <have> [(a|an|this|some)] [(severe|serious|bad|mild|slight|nasty|terrible|life-threatening|known|lifelong|
        really bad|really severe|confirmed|documented|slight|deadly|anaphylactic|strong|horrible|weird|rare)]
        {allergies} (allergy|allergies|intolerance|sensitivity)
    {who} <have> [(a|an|this|some)] [(severe|serious|bad|mild|slight|nasty|terrible|life-threatening|known|lifelong|
        confirmed|strong|rare)] (allergy|allergies|intolerance|sensitivity|hypersensitivity|allergic reaction|
        anaphylactic reaction|reaction) to {allergies}
    {who} <suffer> from [(a|an)] [(severe|bad|mild|serious)] {allergies} (allergy|allergies|intolerance)
    {who} <react> [(badly|really badly|very badly|terribly|horribly|violently|poorly|strongly|severely)] to
        {allergies}
    {who} <come> out in (hives|a rash|spots|welts|blotches|bumps|lumps) [(from|if I eat|when I eat|after eating|
        with|after|when I have|if I have|if I touch|whenever I eat|near|around)] [(eating|touching)] {allergies}
    {who} <break> out in (hives|a rash|spots|welts|blotches) (from|if I eat|when I eat|after eating|with|after|
        whenever I eat|if I touch|when I have|if I have) {allergies}
    {who} <get> (hives|a rash|anaphylaxis|a reaction|an allergic reaction|itchy|wheezy|an itchy throat|a swollen
        tongue|rashes|terrible hives) (from|if I eat|when I eat|after eating|with|after|whenever I eat|off|around|
        near|if I touch) {allergies}
    {who} <go> into (anaphylactic shock|anaphylaxis|shock) (from|if I eat|when I eat|with|whenever I eat|after)
        {allergies}
    {who} <swell> up (from|if I eat|when I eat|with|whenever I eat|after|like a balloon from) {allergies}
    {who} <test|come> [back] positive for [(a|an)] {allergies} allergy
    {who} <carry|have|need|keep> (an EpiPen|an epi-pen|an epipen|EpiPens|two EpiPens|an epi pen|an adrenaline pen|
        two epipens) [(on me|with me|at all times|everywhere)] (because of|for|due to|on account of|owing to) [(my|
        a|an|her|his|the)] [(severe|bad|serious)] {allergies} (allergy|allergies)
    {who} <not tolerate|digest|process|stomach|handle> {allergies=gluten|lactose|dairy|wheat|nuts|peanuts|shellfish|
        eggs|soy|fructose}
    {allergies} <bring> {me} out in [(a|an|terrible|awful|horrible|big|huge)] [(nasty|terrible|horrible|itchy)]
        (rash|hives|spots|welts|blotches|lumps|bumps)
    {allergies} <give> {me} [(a|an|terrible|awful|horrible|bad|the worst)] [(nasty|terrible|horrible|itchy|bad)]
        (rash|rashes|hives|allergic reaction|reaction|anaphylaxis|welts|itchy throat)
    {allergies} <make> {me} (break out|come out) in (a rash|hives|spots|welts)
    {allergies} <make> (my|me) [(throat|tongue|face|lips|eyes)] (swell|close up|swell up|itch|wheeze|itchy|sneeze|
        stream|puff up)
    {allergies} <close> (my|up my) throat
    {allergies} <send> {me} into (anaphylaxis|anaphylactic shock|shock|A&E|the ER)
    {allergies} <trigger|cause> [(my|an|a)] (allergies|allergy|allergic reaction|reaction|hives|rash|anaphylaxis)
        [(in|for)] {me}
    {allergies} (would|could|will|can|might) [(literally|actually|probably)] (kill|hospitalise|hospitalize) {me}
    {allergies} <kill> {me}
    {my} (allergies|allergy|allergens|known allergies|food allergies|allergy list|only allergy|main allergy) (is|
        are|include|includes|would be|list) [(to)] {allergies}
    (allergies|allergy|allergic): {allergies}
    {who} (can't|cannot|can not|cant|mustn't|must not|can never) (have|eat|touch|go near|do|be near|be around|be
        given|take|go anywhere near|come near) [(any|the)] {allergies} (or I|because of my allergy|or my throat|or
        I'll|without|— one|- one|– one|, one bite|due to an allergy|because I'm allergic|as I'm allergic|or it's|or
        we)…
    {who} <be> [(severely|highly|very)] {allergies=lactose intolerant|gluten intolerant|dairy intolerant|histamine
        intolerant|fructose intolerant|alcohol intolerant}
    turns out the (rash|itching|hives|swelling|reaction) (is|was|comes|came) from {allergies}
    (the|my) (rash|hives|itching|reaction|swelling) (is|was|comes|came|are|were) (from|caused by|because of|down to|
        due to) {allergies}
"""
_HEALTH = """
    {who} <have|suffer from|live with|battle|deal with|cope with|manage> [(a|an|really|pretty|quite)] [(bad|
        terrible|awful|serious|mild|severe|chronic|diagnosed|undiagnosed|lifelong|stage {_word}|early-onset)]
        {health}
    {who} <get|suffer> [(from)] [(really|quite|pretty|such|these|the odd|occasional|regular|frequent)] [(bad|
        terrible|awful|serious|severe|debilitating|horrendous)] {health=migraines|hay fever|panic attacks|
        nosebleeds|cold sores|vertigo|cramps|seizures|palpitations|night terrors|sleep paralysis|motion sickness|
        travel sickness|seasickness|car sick|carsick|seasick|heartburn|sciatica|gout|eczema|cluster headaches|
        tension headaches}
    {who} <be> [(recently|first|officially|finally|formally|just)] diagnosed (with|as having) [(a|an)] {+health}
    {who} <be> diagnosed {+health=autistic|diabetic|dyslexic|coeliac|celiac|bipolar|epileptic|hypertensive}
    {who} (got|received|had|was given) [(a|an|my|his|her)] [(formal|official|late|recent)] {+health} diagnosis
    {who} <be> [(a|an)] [(type one|type two|type 1|type 2|insulin-dependent|severely|profoundly|partially|
        clinically|mildly|slightly|very|lifelong)] {health=diabetic|coeliac|celiac|asthmatic|epileptic|dyslexic|
        dyspraxic|autistic|bipolar|anaemic|anemic|deaf|hard of hearing|blind|partially sighted|colour blind|
        colourblind|color blind|colorblind|short-sighted|shortsighted|long-sighted|near-sighted|nearsighted|
        hypertensive|arthritic|hypothyroid|neurodivergent|HIV positive|wheelchair-bound|a haemophiliac|a wheelchair
        user|an insomniac|immunocompromised|narcoleptic|on the spectrum}
    {who} <be> born (deaf|blind) -> health = born deaf
    {who} <use|be in> a wheelchair -> health = wheelchair user
    {who} <wear> (a hearing aid|hearing aids|a cochlear implant) -> wears = hearing aids
    {who} <wear|have> {wears=glasses|contact lenses|contacts|a hearing aid|hearing aids|braces|an insulin pump|a
        pacemaker|reading glasses|bifocals|varifocals|dentures|a prosthetic leg|a retainer|a mouthguard at night|a
        hijab|a turban|a kippah}
    {my} (condition|diagnosis|illness|disability|chronic illness|medical condition) <be> {health}
    {who} <be> in remission (from|for) {-health}
    {who} <recover> from {-health}
    {who} <be> [(a)] (cancer|breast cancer|stroke|heart attack) survivor -> health = cancer survivor
    {who} <struggle> with [(my)] {health=anxiety|depression|insomnia|addiction|adhd|dyslexia|ocd|ptsd|my weight|an
        eating disorder|social anxiety|chronic pain|endometriosis|long covid|asthma}
    {who} <be> [(about|nearly|almost)] {_number} (weeks|months) {status=pregnant}
    {who} <be> [(heavily|newly|currently|finally|already)] {status=pregnant}
    {my} blood (type|group) <be> {blood_type}
    {who} <be> blood (type|group) {blood_type}
    {who} <have> blood (type|group) {blood_type}
"""
_MEDICATION = """
    {who} <take|be taking|use|need|inject|pop> [(the|my|some|daily|a daily|low-dose|a low dose of|a high dose of)]
        [({_number}mg of|{_number} mg of|{_number}mg|{_number} mg|{_number}mcg of|{_number} micrograms of)]
        {medication} [{_number}mg]
    {who} <be> [(back|now|still|currently)] on [(the|my|some|daily|low-dose|a low dose of|a high dose of|high-dose|
        a course of|long-term|{_number}mg of|{_number} mg of|{_number}mg)] {medication}
    {who} <go|start|begin> [(back)] [on] [(the|my|taking)] {+medication}
    {who} <be> (put|started) on [(the|a low dose of|daily)] {+medication}
    {who} <be> prescribed [(the|a low dose of|daily)] {+medication}
    {who} <be> [(being)] (treated|medicated) with {medication}
    {who} <come|go> off [(the|my)] {-medication}
    {who} <be> off [(the|my)] {-medication}
    {who} <take|use> [(the|my)] {medication}
    {who} <be> taken off [(the|my)] {-medication}
    {who} <switch|change|move|swap> [over] from {-medication} to {+medication}
    {who} <rely|depend> on {medication}
    {who} <control|manage|treat> (it|my {_some}) with {medication}
    {_name} <have> {me} on [(a|the|some)] {medication}
    {_name} <put|start> {me} on [(a|the|some)] {+medication}
    {_name} <prescribe> {me} [(a|the|some)] {+medication}
    (my|the) (doctor|GP|psychiatrist|consultant|cardiologist|doc|neurologist|specialist|nurse|endocrinologist) <put|
        start> {me} on [(a|the|some|daily|a low dose of)] {+medication}
    (my|the) (doctor|GP|psychiatrist|consultant|cardiologist|doc|neurologist|specialist|nurse|endocrinologist)
        <have> {me} on [(a|the|some|daily|a low dose of)] {medication}
    (my|the) (doctor|GP|psychiatrist|consultant|cardiologist|doc|neurologist|specialist|nurse|endocrinologist)
        <prescribe> {me} [(a|the|some|daily|a low dose of)] {+medication}
    {my} [(daily|regular|current|new|blood pressure|thyroid|heart|asthma)] (tablets|pills|meds|medication|medicine|
        medications|antidepressants|inhaler|statin|prescription) (is|are|includes|include) [called] {medication}
    medication: {medication}
"""
_DIET = """
    {who} <go|turn|become> [(a|an)] [(strict|full|fully|mostly)] {+diet}
    {who} <be> [(a|an)] [(strict|lifelong|committed|practising|full-time|part-time|mostly|about 90%|
        ethical|lapsed|proper|new|recent|raw)] {diet}
    {who} <have> been [(a|an)] [(strict|lifelong|committed)] {diet} (since|for|all|my whole)…
    {who} <keep|eat|cook|observe|follow> [(strictly|a strictly|a|strict|only)] {diet=kosher|halal|vegan|vegetarian|
        keto|paleo|plant-based|gluten-free|dairy-free|low-carb|low-fodmap|low fodmap|sugar-free|clean}
    {who} <keep|eat> {diet=kosher|halal}
    {who} <be|go> on [(a|an|the)] [(strict)] {diet=keto|paleo|vegan|vegetarian|low-carb|low-fodmap|low fodmap|
        gluten-free|gluten free|dairy-free|dairy free|mediterranean|carnivore|plant-based|plant based|raw food|
        kosher|halal|low-sodium|low sodium|ketogenic|liquid|diabetic|dash|low-fat} [(diet)]
    {who} <follow|stick to|eat|do|keep to> [(a|an|the)] [(strict|strictly|mostly|largely|fully|predominantly)]
        {diet=keto|paleo|vegan|vegetarian|low-carb|low carb|low-fodmap|low fodmap|gluten-free|gluten free|
        dairy-free|dairy free|mediterranean|carnivore|plant-based|plant based|raw food|kosher|halal|low-sodium|
        low-salt|ketogenic|diabetic|jain|dash|whole30} (diet|food|lifestyle|way of eating)
    {who} <eat> (only|strictly|exclusively) {diet=plants|halal|kosher|vegan|vegetarian|plant-based}
    {my} diet <be> [(strictly|mostly|largely|entirely)] {diet}
    (my|our) [{_word}] (household|house|family|home|kitchen) <be> [(strictly|mostly|a|fully|entirely|all)] {diet}
    (we're|we are|i'm|i am|ours is|this is|we've become) [now] [(a|an)] [strictly] {diet} (household|house|family|
        home|kitchen)
    {who} <be> [(now|totally|completely|back)] {diet=teetotal|tee-total|sober|straight edge|off the booze|off the
        drink|on the wagon|gluten-free|gluten free|dairy-free|dairy free}
"""
_AVOIDED = """
    {who} <be> off {avoids=coffee|dairy|sugar|meat|alcohol|gluten|caffeine|carbs|bread|booze|wheat|the booze|red
        meat|chocolate|the drink|fizzy drinks|cheese|milk|eggs}
    {who} <avoid|shun|forgo|forego|eschew> [(all|any|eating|drinking)] {avoids}
    {who} <steer clear of|stay away from|keep away from|stay off|keep off|lay off|abstain from|cut down on|cut back
        on|stay clear of|refrain from> [(all|any|eating|drinking)] {avoids}
    {who} <be> [(told|advised|meant|supposed|under orders)] to (avoid|stay off|stay away from|keep off|steer clear
        of|cut out|lay off) {avoids}
    {who} <be> to avoid {avoids}
    {avoids} <be> off [the] (limits|menu|the menu|the table) for {me}
    {avoids} <disagree> with {me}
    {avoids} <upset> (my|her|his) (stomach|tummy|guts|digestion)
    {avoids} <give> {me} [(terrible|awful|bad|the)] (heartburn|migraines|indigestion|bloating|wind|headaches|tummy
        ache|acid reflux|palpitations|the runs|jitters|a headache|stomach ache)
"""
_NOT_TAKEN = """
    {who} <not touch> [(a drop of|any)] {avoids=alcohol|booze|drink|meat|pork|beef|dairy|gluten|sugar|caffeine|
        coffee|drugs|fish|red meat|the stuff|eggs|cheese|spirits|fast food|processed food|bread|carbs|seafood|
        shellfish}
    {avoids} <not agree|sit well|sit right|get on> with {me}
"""
_GIVEN_UP = """
    {who} <give> up [(on|eating|drinking|all)] {eats=sugar|meat|dairy|gluten|alcohol|coffee|caffeine|carbs|bread|
        fish|eggs|wheat|chocolate|booze|red meat|pork|the drink|cheese|crisps|fizzy drinks|sweets|beef|takeaways}
    {who} <cut|kick|quit|drop|ditch|eliminate|knock> [(out)] [(all|eating|drinking|the)] {eats=sugar|meat|dairy|
        gluten|alcohol|coffee|caffeine|carbs|bread|fish|eggs|wheat|chocolate|booze|red meat|pork|cheese|fizzy
        drinks|soda} [(out|on the head)]
    {who} <swear> off {eats}
"""
BODY = (
    *told(_ALLERGIES),
    *told(_HEALTH),
    *told(_MEDICATION),
    *told(_DIET),
    *told(_AVOIDED),
    *told(_NOT_TAKEN),
    *told(_GIVEN_UP, Aspect.END),
)
