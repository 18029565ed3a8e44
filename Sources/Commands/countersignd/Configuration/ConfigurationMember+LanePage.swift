internal import PresentationService
internal import ReaderAPI

extension ConfigurationMember {
    static let page: [Self] = [
        .init(
            "language", .text(upTo: 16), .absent("the browser's"),
            "language of the pages: `ar`, `de`, `en`, `es`, `fr`, `it`, `pt`, `zh`. The address's `lang` goes before it",
            faults: "not checked: an unknown one changes nothing"),
        .init(
            "resultSeconds", .whole(2...600, unit: "seconds"), .absent("`12`"),
            "how long the customer's page shows a result"),
        .init("antenna", .object(antenna), .absent("the middle, `here`"), "where to hold the phone"),
        .init(
            "reader", .word(LanePage.Reader.self), "square",
            "how the reader is drawn: a square pad, one that is longer than wide, or one set into the counter"
        ),
        .init(
            "accepts", .list(upTo: 12, of: .text(upTo: 60)), .emptyList,
            "names of the wallets that are accepted, shown while nothing is asked"),
        .init(
            "asks", .list(upTo: 8, of: .text(upTo: 64)), .emptyList,
            "what will be asked, as in `asks` of a presentation (`age_over_18`, `portrait`), shown while nothing is asked"
        ),
        .init(
            "speaks", .boolean, false,
            "whether the customer's page speaks its words, while its sound is on, by a voice that is installed on the screen's computer"
        ),
        .init(
            "texts",
            .named(
                upTo: PageTexts.Language.allCases.count, by: .pageLanguage,
                .named(upTo: PageTexts.keys.count, by: .pageText, .text(upTo: 300))),
            .emptyObject,
            "the shop's own words: `{\"en\": {\"customer.idle.text\": \"Please wait at the till.\"}}`. The keys are those of `strings.json` that begin with `customer.` and end with `.text`, but not those of `connecting` and `test`, and `customer.idle.head`. What an outcome is called stays"
        ),
        .init(
            "notice", .object(notice), .absent("what the brand and the order say"),
            "the privacy notice of the customer's page"),
    ]

    private static let antenna: [Self] = [
        .init(
            "x", .whole(0...100, unit: "percent"), .required,
            "place of the antenna on the reader's face, from the left"),
        .init(
            "y", .whole(0...100, unit: "percent"), .required,
            "the same from the top; the page draws 15 to 85 of both"),
        .init(
            "place", .word(LanePage.Antenna.Place.self), .required,
            "where the reader is, as seen from the screen"),
    ]

    private static let notice: [Self] = [
        .init("controller", .text(upTo: 300), .required, "who is responsible"),
        .init("purpose", .text(upTo: 600), .required, "what it is for"),
        .init("kept", .text(upTo: 600), .required, "what is kept, and for how long"),
        .init("contact", .text(upTo: 300), .required, "whom to ask"),
    ]
}
