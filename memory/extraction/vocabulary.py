"""Broad lists of what people have, play, speak, suffer from and use: what a word is, where the parse can't tell.

Each entry is lower-case; `_` stands for a blank or hyphen within one.
"""

from memory.extraction.lexicon import listed

INSTRUMENTS = listed(
    "piano keyboard keyboards organ harpsichord synth synthesiser synthesizer accordion melodeon concertina "
    "harmonica guitar acoustic_guitar electric_guitar bass_guitar bass double_bass upright_bass ukulele uke "
    "banjo mandolin lute sitar tabla tanpura veena sarod santoor oud bouzouki balalaika lyre harp violin fiddle "
    "viola cello drums drum_kit drumkit percussion bongos congas cajon djembe bodhran timpani marimba xylophone "
    "vibraphone glockenspiel tambourine flute piccolo recorder tin_whistle penny_whistle clarinet bass_clarinet "
    "oboe bassoon saxophone sax alto_sax tenor_sax trumpet cornet trombone bass_trombone french_horn tuba "
    "euphonium flugelhorn bugle bagpipes pipes didgeridoo ocarina theremin kalimba handpan shamisen koto erhu "
    "lap_steel steelpan steel_pan hurdy_gurdy"
)
SPORTS = listed(
    "football soccer five-a-side futsal rugby touch_rugby cricket tennis padel pickleball squash badminton "
    "table_tennis ping_pong hockey field_hockey ice_hockey lacrosse netball basketball volleyball "
    "beach_volleyball handball baseball softball rounders american_football flag_football golf disc_golf "
    "mini_golf bowls lawn_bowls bowling tenpin_bowling darts snooker pool billiards croquet curling ultimate "
    "ultimate_frisbee frisbee hurling camogie gaelic_football shinty kabaddi water_polo polo underwater_hockey "
    "roller_derby dodgeball paintball chess backgammon bridge poker go scrabble dungeons_and_dragons d&d "
    "warhammer"
)
SKILLS = listed(
    "swim drive cook whistle dance sing ski skate knit sew juggle type read_music ride_a_bike ride_a_horse ride "
    "speak_french drive_stick touch-type iron bake draw"
)
ILLNESSES = listed(
    "diabetes type_1_diabetes type_2_diabetes type_1 type_2 asthma epilepsy migraine migraines adhd add ocd "
    "autism asperger's anxiety depression bipolar bipolar_disorder schizophrenia ptsd cptsd dyslexia dyspraxia "
    "dyscalculia hypertension high_blood_pressure low_blood_pressure high_cholesterol insomnia eczema psoriasis "
    "rosacea acne vitiligo alopecia anaemia anemia lupus cancer breast_cancer prostate_cancer leukaemia leukemia "
    "lymphoma glaucoma cataracts tinnitus vertigo osteoporosis sciatica scoliosis arthritis rheumatoid_arthritis "
    "osteoarthritis gout fibromyalgia me/cfs chronic_fatigue long_covid ibs crohn's crohn's_disease colitis "
    "ulcerative_colitis coeliac_disease celiac_disease coeliac celiac acid_reflux gerd gastritis endometriosis "
    "pcos sleep_apnoea sleep_apnea narcolepsy parkinson's parkinson's_disease alzheimer's dementia ms "
    "multiple_sclerosis motor_neurone_disease cerebral_palsy muscular_dystrophy cystic_fibrosis copd bronchitis "
    "emphysema hay_fever angina afib atrial_fibrillation a_heart_murmur heart_disease heart_failure "
    "hypothyroidism hyperthyroidism an_underactive_thyroid an_overactive_thyroid hashimoto's "
    "hashimoto's_thyroiditis graves'_disease raynaud's sickle_cell sickle_cell_disease thalassaemia haemophilia "
    "hepatitis hiv kidney_disease kidney_stones gallstones a_hernia a_slipped_disc tourette's "
    "tourette's_syndrome synaesthesia colour_blindness aphantasia hemochromatosis panic_attacks nosebleeds "
    "cold_sores cramps plantar_fasciitis carpal_tunnel rsi tennis_elbow varicose_veins astigmatism ehlers-danlos "
    "ehlers-danlos_syndrome hypermobility pots"
)
ALLERGENS = listed(
    "nut peanut tree_nut hazelnut almond cashew walnut pecan pistachio brazil_nut sesame sesame_seed soy soya "
    "egg milk dairy lactose gluten wheat shellfish prawn shrimp crab lobster mussel oyster crustacean fish "
    "seafood mollusc celery mustard lupin sulphite sulfite strawberry strawberries kiwi kiwifruit banana mango "
    "apple peach tomato tomatoes pineapple avocado garlic onion chocolate cinnamon corn penicillin amoxicillin "
    "antibiotic aspirin ibuprofen sulfa codeine morphine latex nickel pollen birch_pollen grass_pollen grass "
    "tree_pollen dust dust_mite mould mold cat cat_hair dog dog_hair horse animal_hair fur feather bee bee_sting "
    "wasp wasp_sting insect_bite mosquito_bite fragrance perfume plaster"
)
DIETS = listed(
    "vegan vegetarian veggie veg pescatarian pescetarian omnivore flexitarian keto paleo carnivore kosher halal "
    "gluten-free dairy-free nut-free sugar-free teetotal plant-based low-carb raw_vegan jain"
)
MEDICINES = listed(
    "insulin lithium ritalin xanax zoloft prozac ozempic wegovy mounjaro adderall concerta vyvanse elvanse "
    "warfarin aspirin melatonin antidepressants antihistamines beta-blockers beta_blockers statins statin "
    "blood_thinners the_pill the_mini-pill hrt iron_tablets steroids inhaler painkillers sleeping_tablets "
    "testosterone oestrogen estrogen progesterone ventolin symbicort lexapro wellbutrin lyrica humira eliquis "
    "xarelto plavix lipitor synthroid vitamin_d vitamin_b12 folic_acid magnesium tamoxifen letrozole digoxin "
    "gabapentin pregabalin omeprazole lansoprazole ramipril lisinopril perindopril metformin gliclazide "
    "sertraline fluoxetine citalopram escitalopram paroxetine venlafaxine duloxetine mirtazapine amitriptyline "
    "nortriptyline quetiapine olanzapine risperidone aripiprazole lamotrigine levetiracetam carbamazepine "
    "valproate topiramate propranolol bisoprolol atenolol metoprolol amlodipine nifedipine losartan candesartan "
    "valsartan simvastatin atorvastatin rosuvastatin levothyroxine thyroxine carbimazole methotrexate "
    "sulfasalazine hydroxychloroquine azathioprine prednisolone prednisone hydrocortisone salbutamol montelukast "
    "cetirizine loratadine fexofenadine allopurinol colchicine furosemide spironolactone clopidogrel apixaban "
    "rivaroxaban semaglutide tirzepatide sumatriptan rizatriptan zopiclone diazepam lorazepam tramadol codeine "
    "naproxen ibuprofen paracetamol diclofenac lisdexamfetamine methylphenidate atomoxetine buspirone bupropion "
    "trazodone finasteride minoxidil isotretinoin roaccutane doxycycline amoxicillin penicillin"
)
LANGUAGES = listed(
    "english spanish french german italian portuguese brazilian_portuguese dutch flemish danish swedish "
    "norwegian icelandic finnish estonian latvian lithuanian polish czech slovak slovene slovenian croatian "
    "serbian bosnian macedonian bulgarian romanian moldovan hungarian albanian greek turkish russian ukrainian "
    "belarusian georgian armenian azeri kazakh uzbek hebrew arabic persian farsi dari pashto kurdish urdu hindi "
    "punjabi bengali bangla gujarati marathi tamil telugu kannada malayalam odia assamese nepali sinhala "
    "sinhalese sanskrit konkani sindhi kashmiri tulu maithili bhojpuri chinese mandarin cantonese hokkien hakka "
    "japanese korean vietnamese thai lao khmer burmese tibetan mongolian malay indonesian javanese tagalog "
    "filipino cebuano swahili amharic tigrinya somali hausa yoruba igbo twi wolof zulu xhosa afrikaans shona "
    "lingala kinyarwanda welsh irish gaelic scottish_gaelic scots manx cornish breton basque catalan galician "
    "occitan esperanto latin ancient_greek yiddish maltese luxembourgish swiss_german maori hawaiian samoan "
    "navajo quechua guarani bsl asl british_sign_language american_sign_language sign_language"
)
NATIONALITIES = listed(
    "english british scottish welsh irish northern_irish american canadian australian french german italian "
    "spanish portuguese dutch belgian swiss austrian danish swedish norwegian icelandic finnish estonian latvian "
    "lithuanian polish czech slovak slovenian croatian serbian bosnian bulgarian romanian hungarian albanian "
    "greek turkish russian ukrainian georgian armenian israeli palestinian lebanese syrian iraqi iranian persian "
    "afghan pakistani indian bangladeshi nepali nepalese chinese taiwanese japanese korean vietnamese thai "
    "malaysian indonesian filipino singaporean mongolian egyptian moroccan algerian tunisian nigerian ghanaian "
    "kenyan ugandan ethiopian somali south_african zimbabwean brazilian argentinian argentine chilean peruvian "
    "colombian venezuelan mexican cuban jamaican dominican haitian trinidadian kiwi aussie scouse geordie "
    "cockney sri_lankan punjabi tamil bengali kurdish"
)
FAITHS = listed(
    "buddhist a_buddhist christian a_christian catholic a_catholic roman_catholic protestant muslim a_muslim "
    "jewish hindu a_hindu sikh a_sikh mormon a_mormon orthodox greek_orthodox lutheran baptist a_baptist quaker "
    "a_quaker methodist a_methodist presbyterian anglican jain an_atheist atheist an_agnostic agnostic pagan "
    "a_pagan wiccan a_wiccan humanist a_humanist a_jehovah's_witness bahá'í"
)
DOG_BREEDS = listed(
    "greyhound whippet lurcher labrador lab golden_retriever retriever golden german_shepherd alsatian terrier "
    "border_terrier jack_russell westie yorkie yorkshire_terrier staffie staffy airedale beagle poodle husky "
    "malamute corgi dachshund sausage_dog spaniel cocker_spaniel springer_spaniel springer cavapoo cockapoo "
    "labradoodle goldendoodle cavalier collie border_collie sheltie bulldog french_bulldog frenchie pug "
    "chihuahua dalmatian mastiff rottweiler doberman boxer great_dane st_bernard bernese_mountain_dog "
    "newfoundland schnauzer shih_tzu lhasa_apso pomeranian maltese bichon bichon_frise vizsla weimaraner pointer "
    "setter irish_setter irish_wolfhound deerhound afghan_hound basset_hound bloodhound akita shiba_inu shiba "
    "samoyed chow_chow kelpie cattle_dog australian_shepherd rescue mongrel mutt podenco galgo saluki"
)
CAT_BREEDS = listed(
    "tabby siamese ragdoll persian maine_coon bengal sphynx british_shorthair burmese russian_blue tortoiseshell "
    "calico tuxedo moggy moggie ginger_tom tomcat norwegian_forest_cat"
)
LANGUAGES_OF_CODE = listed(
    "java kotlin python go golang rust typescript javascript ruby php scala elixir erlang haskell swift c c++ c# "
    "f# clojure perl r julia lua dart zig ocaml cobol fortran bash sql vba matlab react vue svelte angular "
    "django flask rails laravel flutter elm gleam nim crystal groovy powershell solidity"
)
TOOLS = listed(
    "android iphone ios windows linux mac macos ubuntu debian fedora arch nixos kindle kobo chrome chromebook "
    "firefox safari brave edge spotify tidal deezer whatsapp telegram signal viber messenger instagram insta "
    "facebook tiktok twitter snapchat reddit bluesky mastodon linkedin pinterest discord gmail outlook "
    "protonmail slack teams zoom xbox playstation ps5 switch netflix disney+ hulu vim neovim emacs vscode "
    "vs_code helix sublime intellij pycharm xcode notion obsidian evernote onenote trello asana jira linear "
    "todoist ticktick anki duolingo strava garmin fitbit excel google_sheets google_docs libreoffice photoshop "
    "lightroom affinity_photo procreate figma canva blender ableton logic docker kubernetes terraform github "
    "gitlab bitbucket jenkins postgres postgresql mysql mariadb sqlite mongodb redis dropbox onedrive icloud "
    "1password bitwarden lastpass monzo revolut paypal ynab chatgpt claude copilot cursor alexa siri google_maps "
    "waze citymapper"
)
LIVESTOCK = listed(
    "bee chicken hen duck geese goose pig goat sheep alpaca llama pigeon racing_pigeon ferret snake reptile "
    "tropical_fish koi horse pony ponies quail rabbit guinea_pig parrot budgie canaries tarantula stick_insect "
    "cattle cow turkey peacock donkey worm axolotl lizard gecko tortoise fish"
)
