internal import CommandLineInterface
internal import JSON
internal import ReaderTokens

/// The shop's own look on the pages of its lane.
struct SetupLook {
    let shop: String
    /// Nil without a logo.
    let logo: SetupLogo?
    let colours: BrandColours?

    /// - Parameter limit: the most bytes of the shop's name.
    init(_ dialog: SetupDialog, upTo limit: Int) throws(CommandFailure) {
        shop = try dialog.text(of: .shop, standard: "The shop") { AnswerFault.length($0, upTo: limit) }
        let path = try dialog.text(of: .logo, standard: "") { SetupLogo.fault(of: $0) }
        logo = try path.isEmpty ? nil : SetupLogo(path)
        colours = try Self.colours(dialog)
    }

    private static func colours(_ dialog: SetupDialog) throws(CommandFailure) -> BrandColours? {
        let text = try dialog.text(of: .ground, standard: "") { PageColour($0) == nil ? notColour : nil }
        guard let ground = PageColour(text) else { return nil }
        let readable = ["#ffffff", "#000000"].max { contrast($0, on: ground) < contrast($1, on: ground) }
        let answer = try dialog.text(of: .words, standard: readable ?? "#ffffff") {
            Self.fault(of: $0, on: ground)
        }
        guard let words = PageColour(answer) else { return nil }
        return try? BrandColours(ground: ground, words: words)
    }

    private static let notColour = "must be a colour such as #7a1f3d"

    private static func contrast(_ text: String, on ground: PageColour) -> Int {
        PageColour(text)?.contrast(with: ground) ?? 0
    }

    private static func fault(of text: String, on ground: PageColour) -> String? {
        guard let words = PageColour(text) else { return notColour }
        do throws(ContrastFault) {
            _ = try BrandColours(ground: ground, words: words)
            return nil
        } catch {
            return error.description
        }
    }

    /// The member `brand` of the lane.
    /// - Parameter logo: the file that the daemon reads.
    func member(logo: String?) -> JSONValue {
        var members: [(String, JSONValue)] = [("name", .string(shop))]
        if let logo { members.append(("logo", .string(logo))) }
        if let colours {
            members.append(
                ("colours", ["ground": .string(colours.ground.text), "words": .string(colours.words.text)]))
        }
        return .object(members)
    }
}
