extension ConfigurationMember {
    static let brand: [Self] = [
        .init(
            "name", .text(upTo: 80), .required,
            "the shop's name. A presentation with a reader token shows that token's brand instead"),
        .init(
            "logo", .path, .absent("none"),
            "a PNG of at most 256 KiB and 2048 columns and rows, which the daemon may read. It is read each time it is shown",
            faults:
                "`it does not exist, or cannot be read`, or why it is not such a PNG (at start and with `--check`)"
        ),
        .init(
            "colours", .object(colours), .absent("the pages' own"),
            "the colours of the header and, while nothing is asked, of the customer's whole screen. What is said of a person keeps the pages' colours",
            faults: "`ground and words have a contrast of N:1, and 4.50:1 is the least that can be read`"),
        .init(
            "welcome", .text(upTo: 200), .absent("the page's own, in each language"),
            "the heading while nothing is asked, in every language the same; `page.texts` has one for each"),
    ]

    private static let colours: [Self] = [
        .init("ground", .text(upTo: 16, .groundColour), .required, "what words stand on"),
        .init("words", .text(upTo: 16, .wordColour), .required, "the words"),
    ]
}
