internal import ErrorMapping
internal import JSON
internal import PresentationService
internal import ReaderAPI
internal import ReaderTokens

extension LaneBrand {
    init(_ text: JSONText) throws(JSONFault) {
        let members = try text.members()
        self.init(
            name: try members.required("name").string(upTo: 80), logo: try members["logo"]?.absolutePath(),
            colours: try members["colours"].map(BrandColours.init),
            welcome: try members["welcome"]?.string(upTo: 200))
    }
}

extension BrandColours {
    fileprivate init(_ text: JSONText) throws(JSONFault) {
        let members = try text.members()
        let ground = try members.required("ground").colour()
        let words = try members.required("words").colour()
        do throws(ContrastFault) {
            try self.init(ground: ground, words: words)
        } catch {
            throw text.wrong("\(error)")
        }
    }
}

extension JSONText {
    fileprivate func colour() throws(JSONFault) -> PageColour {
        guard let colour = PageColour(try string(upTo: 16)) else {
            throw wrong("must be a colour such as \"#7a1f3d\"")
        }
        return colour
    }
}

extension DaemonConfiguration {
    /// Reads the logos of all lanes and keeps none.
    func checkLogos() throws(AssemblyFault) {
        for (number, lane) in lanes.enumerated() {
            guard let brand = lane.page.brand else { continue }
            _ = try mapping(brand.image()) { (error: LogoFileFault) in
                AssemblyFault(
                    "lanes[\(number)].brand.logo", "\(Terminal.safe(brand.logo ?? "")): \(error.explanation)")
            }
        }
    }
}
