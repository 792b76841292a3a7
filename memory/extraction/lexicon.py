"""Word lists that several rule families share. Closed classes only; names are never listed."""


def listed(words: str) -> frozenset[str]:
    """The words of a blank-separated list."""
    return frozenset(words.split())


ENTITY_TYPE_BY_LABEL = {
    "PERSON": "person",
    "ORG": "organisation",
    "GPE": "location",
    "LOC": "location",
    "FAC": "location",
    "PRODUCT": "product",
    "EVENT": "event",
}

FIRST_PERSON = frozenset({"i", "we", "im", "ive"})
FIRST_PERSON_POSSESSIVE = frozenset({"my", "our"})

# Words that make a phrase point at something said elsewhere.
POINTING = listed(
    "he him his she her hers it its they them their theirs you your yours yourself this that these those "
    "there here one "
    "some someone somebody something anything everything nothing anyone everyone nobody who whom whose which what "
    "how why where when me us such same so mine ours myself another other others both all none each"
)

FAMILY = listed(
    "mother mom mum mummy mommy mama dad daddy father papa nan gran granny parent sister brother sibling son "
    "daughter child kid baby wife husband spouse "
    "partner fiance fiancé fiancee fiancée girlfriend boyfriend grandmother grandma grandfather grandpa granddad uncle "
    "aunt cousin nephew niece stepmother stepfather stepson stepdaughter stepbrother stepsister twin "
    "grandson granddaughter godmother godfather godson goddaughter godchild"
)
# Relatives that are spoken of together.
SEVERAL = listed("parents grandparents in-laws folks")
IN_LAWS = listed("mother father sister brother son daughter")
# What a dog or cat is called by its kind.
BREEDS = dict.fromkeys(
    listed(
        "greyhound labrador retriever terrier beagle poodle husky corgi dachshund spaniel collie bulldog pug chihuahua "
        "dalmatian whippet mastiff rottweiler labradoodle cockapoo pup doggo"
    ),
    "dog",
) | dict.fromkeys(listed("tabby siamese ragdoll tomcat kitty"), "cat")
PETS = (
    listed(
        "dog cat puppy kitten parrot hamster rabbit bunny horse pony goldfish turtle tortoise gecko lizard snake "
        "budgie "
        "canary ferret pet hedgehog chicken goat"
    )
    | BREEDS.keys()
)
ACQUAINTANCES = listed(
    "friend mate buddy pal boss manager colleague coworker co-worker teammate mentor assistant neighbor "
    "neighbour roommate flatmate "
    "landlord doctor dentist therapist teacher coach accountant lawyer supervisor intern cofounder co-founder"
)
# "my ex-wife Ana" or "my late husband Tom" is not my wife or husband now.
RELATIVE_NO_MORE = listed("ex ex- former late old previous ertwhile future imaginary would-be then")

JOB_HEADS = listed(
    "accountant actor actress administrator admin advisor adviser agent analyst architect artist assistant associate "
    "attorney auditor author baker banker barber barista bartender bookkeeper broker builder butcher buyer carpenter "
    "cashier chairman chairwoman chef chemist clerk coach cofounder co-founder composer consultant "
    "contractor controller "
    "cook coordinator copywriter counselor curator dentist designer detective developer dev devops director doctor "
    "driver economist editor electrician engineer entrepreneur executive farmer firefighter fisherman florist founder "
    "freelancer gardener geologist hairdresser head historian inspector instructor intern interpreter investigator "
    "investor janitor jeweler journalist judge lawyer lead lecturer librarian machinist magistrate "
    "manager marketer mason "
    "mathematician mechanic midwife miner model musician nanny nurse officer operator optician owner painter paralegal "
    "paramedic partner pharmacist photographer physician physicist physiotherapist pilot plumber policeman policewoman "
    "postdoc presenter president principal producer professor programmer prosecutor psychiatrist psychologist "
    "psychotherapist publisher realtor receptionist recruiter reporter researcher resident sailor salesman salesperson "
    "scientist sculptor secretary solicitor soldier specialist statistician strategist student supervisor surgeon "
    "surveyor tailor teacher technician technologist tester therapist trader trainee trainer translator treasurer "
    "tutor veterinarian vet vp waiter waitress webmaster welder writer zoologist sre ceo cto cfo coo cio ciso cmo cpo "
    "pm biologist chief dean sysadmin illustrator animator filmmaker dancer singer pianist guitarist drummer novelist "
    "poet brewer roofer locksmith optometrist paediatrician pediatrician cardiologist dietitian dietician nutritionist "
    "carer caregiver childminder courier joiner plasterer welder stylist beautician barrister paramedic policeofficer "
    "firewoman postman postwoman undertaker vicar priest pastor rabbi imam politician landscaper decorator bricklayer "
    "fitter foreman handyman housekeeper cleaner concierge copyeditor data-scientist headteacher headmaster lifeguard "
    "linguist marine ranger referee seamstress sommelier stockbroker stuntman swimmer umpire underwriter valet"
)

# Verbs after which the words that follow are not asserted by the speaker, and why.
HEDGING_VERBS = {
    **dict.fromkeys(("think", "believe", "guess", "suppose", "assume", "suspect", "reckon", "imagine"), "hedged"),
    **dict.fromkeys(("feel", "expect", "doubt", "seem", "appear", "sound", "figure", "bet", "gather"), "hedged"),
    **dict.fromkeys(("wish", "hope", "pretend", "dream", "suggest", "propose", "consider"), "hypothetical"),
    **dict.fromkeys(("wonder", "ask", "doubt"), "unclear"),
    **dict.fromkeys(("say", "tell", "hear", "claim", "read", "report", "argue", "rumor", "deny", "joke"), "reported"),
}
# Their complement is a fact: "I'm glad that", "remember that", "did I mention that".
FACTIVE_VERBS = listed(
    "know realize realise notice remember remind forget note mention learn discover see find confirm announce be show "
    "mean "
    "recall celebrate love hate"
)
HEDGING_ADVERBS = listed(
    "maybe perhaps probably possibly likely apparently allegedly supposedly presumably seemingly potentially "
    "theoretically hypothetically mayb prolly ideally almost nearly"
)
MODALS = {
    **dict.fromkeys(("might", "may", "could", "can", "ca", "should", "must", "ought", "shall"), "hedged"),
    **dict.fromkeys(("would", "'d", "wo"), "hypothetical"),
}
# Outer verbs of a chain ("want to move"): what they make of the inner one.
INTENTION_VERBS = listed(
    "want hope plan intend wish try need decide consider aim aspire prepare dream expect agree promise offer wait "
    "threaten go have think ought ask order help pretend"
)
DECLINING_VERBS = listed("refuse fail decline forget neglect avoid")
SEEMING_VERBS = listed("seem appear tend happen")
ENDING_VERBS = listed("stop quit cease finish")
PASSING_VERBS = listed("start begin continue keep get manage love like")
CONTROL_VERBS = (
    INTENTION_VERBS
    | DECLINING_VERBS
    | SEEMING_VERBS
    | ENDING_VERBS
    | (PASSING_VERBS - {"love", "like"})
    | {"use", "used"}
)

NEGATIONS = listed("not n't nt n’t never no neither nor hardly barely scarcely nobody cannot")
CONDITIONAL_MARKS = listed("if unless whether lest provided suppose supposing assuming whenever")
FUTURE_MARKS = listed("when once until till after before")

ENGLISH_WORDS = listed(
    "i i'm im my me we our you your he she it they them his her their the a an is am are was were be been to of and or "
    "in on at for from with by as that this these those not no do don't does did have has had will would can could "
    "should just but so if when who what how why where never always please now last next only also because there"
)
FOREIGN_WORDS = listed(
    "ich bin ist und der das nicht ein eine wohne heiße heisse arbeite mein meine mit auf für von bei wir sind habe "
    "je suis est et le la les un une des du pas mon ma mes dans avec pour que qui nous j'ai j'habite travaille chez "
    "soy es el los las una y de en mi mis por para yo tengo vivo trabajo estoy muy pero como llamo "
    "sono il gli di che non abito lavoro chiamo o sou os da do na em meu minha eu não moro "
    "ik ben het een niet mijn woon werk bij jag är och inte min heter bor jestem nie się mam"
) - {"o", "min", "for", "y", "por", "do"}

# What a described thing is an instance of, as the type of the entity.
THING_KINDS = (
    dict.fromkeys(
        listed(
            "project service app application tool library framework platform system website site bot api backend "
            "frontend "
            "database pipeline dashboard module package plugin repo repository codebase game engine server cluster "
            "extension microservice prototype programme program initiative db gateway blog webapp monolith crawler "
            "ci scheduler queue cache broker proxy daemon script notebook compiler scraper codebase"
        ),
        "project",
    )
    | dict.fromkeys(listed("product device gadget phone laptop car"), "product")
    | dict.fromkeys(
        listed("company startup firm employer client customer supplier vendor agency bank university team"),
        "organisation",
    )
)

LANGUAGES_OF_CODE = listed(
    "java kotlin python go golang rust typescript javascript ruby php scala elixir erlang haskell swift c c++ c# f# "
    "clojure perl r julia lua dart zig ocaml cobol fortran bash sql"
)

# What one has on a day, and what is on a day.
APPOINTMENTS = listed(
    "appointment meeting interview exam test flight wedding party call surgery operation trip holiday vacation date "
    "presentation conference dinner lunch deadline concert class lesson game match race marathon check-up checkup "
    "plane train ferry coach birthday anniversary graduation workshop reunion ceremony visit session audition demo "
    "review"
)
# What is a habit by its verb alone: "I smoke".
HABIT_BY_VERB = {"smoke": "smoking", "vape": "vaping", "drink": "drinking", "gamble": "gambling"}
