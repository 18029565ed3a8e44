internal import PresentationService
internal import ReaderAPI

extension ConfigurationMember {
    static let preset: [Self] = [
        .init(
            "name", .text(upTo: 64), .required, "what the button says, each once",
            faults: "`another preset has this name` (at `presets[N]`)"),
        .init(
            "intent", .text(upTo: 4096), .required, "what is asked, in the words of an order",
            faults: "what is wrong with the words"),
        .init(
            "validation", .word(PresentationOrder.Validation.self), "check",
            "as in an order: confirm is that a person decides; so does one where a portrait is asked for, in any case"
        ),
        .init(
            "retention", .word(["none", "receipt"]), "receipt", "whether there is a receipt",
            faults: "`must be \"none\" or \"receipt\": a preset retains no data`"),
        .init("policy", revocation, .absent("none: that of the purpose"), "a stricter policy"),
    ]
}
