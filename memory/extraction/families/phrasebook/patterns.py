"""Regular expressions of names, numbers, dates and sums, as parts of phrases."""

NAME = r"(?-i:[A-Z][\w'&.+-]*(?:(?: of| the| de| &| for| and)? (?!I\b|I')[A-Z][\w'&.+-]*){0,3})(?<![.'])"
# Where the writer uses no capitals; that he uses none is looked at afterwards.
LOWER = r"(?-i:(?!(?:the|an?|my|our|your|his|her|it|this|that|which|what|me|you)\b)[a-z][\w'-]+(?: [a-z][\w'-]+)?)"
DAY = r"\d{1,2}(?:st|nd|rd|th)?|(?:thirty|twenty)[- ]\w+(?:st|nd|rd|th)|\w+(?:st|nd|rd|th)"
MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)\b"
)
NUMERAL = (
    r"(?:\d+(?:[.,]\d+)*|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ](?:one|two|three|"
    r"four|five|six|"
    r"seven|eight|nine))?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|"
    r"sixteen|seventeen|eighteen|nineteen)"
)
MONEY = (
    r"(?:[$€£₹]\s?\d[\d.,]*\s?(?:k|m|grand|million|lakhs?)?|\d[\d.,]*\s?(?:k|grand|lakhs?|"
    r"lpa)?\s?(?:euros?|dollars?|pounds?|quid|"
    r"bucks|rupees|eur|usd|gbp|a month|per month|pcm|a year|[$€£])|\d[\d.,]*\s?(?:k|grand|lakhs?|lpa)?|"
    r"(?:\w+ )?(?:hundred|thousand|grand)(?: and \w+)?(?: (?:euros?|dollars?|pounds?|quid|bucks|rupees))?)"
    r"(?:\s?(?:a|per|/)\s?(?:year|month|week|day|hour|night|annum|fortnight))?"
)
PAY = (
    r"(?:[$€£₹]\s?\d[\d.,]*\s?(?:k|m|grand|lakhs?)?|\d[\d.,]*\s?(?:k|grand|lakhs?|lpa|euros?|dollars?|"
    r"pounds?|quid|rupees|eur|"
    r"usd|gbp)|\d[\d.,]*(?=\s(?:a|per) (?:year|month|week|day|hour|annum)))(?:\s(?:a|per) (?:year|month|"
    r"week|day|hour|annum))?"
)
CLOCK = r"(?:(?:half|quarter) (?:past|to) )?(?:\d{1,2}(?:[:.]\d\d)?(?:\s?[ap]\.?m\.?)?|noon|midnight|\w+(?: o'clock)?)"
DATE = (
    rf"(?:the\s)?(?:{DAY})(?: of)? {MONTH}(?:,? \d{{4}})?|{MONTH} (?:the )?(?:{DAY})(?:,? \d{{4}})?|"
    r"\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}|\d{4}-\d\d-\d\d|(?:Christmas|Boxing|New Year's|Valentine's|St Patrick's|"
    r"Independence|Canada|Australia) (?:Day|Eve)|Halloween|Christmas|Diwali|Hogmanay|leap day"
)
