import Testing

/// The texts of one type, in the order of its cases.
struct TextGroup: Sendable, CustomTestStringConvertible {
    /// In the order of the list.
    enum Layer: String, CaseIterable, Sendable {
        case formats = "Formats"
        case cryptography = "Cryptography"
        case mdoc = "Mdoc"
        case transports = "Transports"
        case service = "Service"
        case commands = "Commands"
        case inPlace = "Texts where they are used"
    }

    struct Entry: Sendable {
        /// The case, or the file.
        let name: String
        /// The id that programs get; nil where programs get none.
        let id: String?
        let text: String
    }

    let type: String
    let layer: Layer
    var form = Form.clause
    var ids = IDForm.grouped
    /// Whether each text also says what to do.
    var hasAdvice = false
    /// Whether a text may be there twice, as where files have the same line.
    var mayRepeat = false
    let entries: [Entry]

    var testDescription: String { "\(layer.rawValue): \(type)" }
}

extension TextGroup {
    enum Form: Sendable {
        /// Follows a colon: no capital at its beginning, no full stop at its end.
        case clause
        /// Is alone in its line.
        case sentence
        /// Either, or a line of several.
        case free
    }

    enum IDForm: Sendable {
        /// `group.snake_case`
        case grouped
        /// `snake_case`: the member that has it is the group.
        case word
        /// Either of these.
        case wordOrGrouped
        /// `camelCase`, as the HTTP API has it; those from other layers keep theirs.
        case camelCase
        /// `group.camelCase`, as `doctor` has it.
        case groupedCamelCase
    }

    /// - Parameter name: of the type, where it is not that of the cases.
    init<Case>(
        _ cases: [Case], _ layer: Layer, named name: String? = nil, form: Form = .clause,
        ids: IDForm = .grouped, hasAdvice: Bool = false, id: (Case) -> String? = { _ in nil },
        text: (Case) -> String
    ) {
        let type = name ?? String(reflecting: Case.self).split(separator: ".").last.map(String.init) ?? ""
        self.init(
            type: type, layer: layer, form: form, ids: ids, hasAdvice: hasAdvice,
            entries: cases.enumerated().map { index, sample in
                Entry(
                    name: "\(type).\(Self.name(of: sample) ?? "\(index + 1)")", id: id(sample),
                    text: text(sample))
            })
    }

    /// The name of an enum's case; nil of another type, and of one that writes itself in another way.
    private static func name(of sample: Any) -> String? {
        let mirror = Mirror(reflecting: sample)
        guard mirror.displayStyle == .enum else { return nil }
        if let label = mirror.children.first?.label { return label }
        return sample is any CustomStringConvertible ? nil : "\(sample)"
    }
}
