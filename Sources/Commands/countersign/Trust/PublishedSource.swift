internal import JSON

/// A VICAL that somebody publishes, as `published-sources.json` has it: its publisher and where to find it, and no key.
struct PublishedSource {
    let name: String
    let publisher: String
    /// The publisher's page about it.
    let address: String
    /// Where the list itself is; nil where no page that can be cited says so.
    let list: String?
    /// The page that has these addresses, and the day on which it was read.
    let readFrom: String
    let readOn: String

    private static let members: Set = ["name", "publisher", "address", "list", "readFrom", "readOn"]

    private init(_ text: JSONText) throws(JSONFault) {
        let members = try text.members(Self.members)
        name = try members.required("name").string()
        publisher = try members.required("publisher").string()
        address = try members.required("address").string()
        let list = try members.required("list")
        self.list = list.isNull ? nil : try list.string()
        readFrom = try members.required("readFrom").string()
        readOn = try members.required("readOn").string()
    }

    /// Those of the data file that is built into the program.
    static func all() throws(CommandFailure) -> [PublishedSource] {
        do throws(JSONFault) {
            let text = try JSONText(PackageResources.published_sources_json[...])
            var sources: [PublishedSource] = []
            for entry in try text.members(["sources"]).required("sources").array() {
                sources.append(try PublishedSource(entry))
            }
            return sources
        } catch {
            throw .malformed("published-sources.json: \(error.explanation)")
        }
    }

    static func named(_ name: String) throws(CommandFailure) -> PublishedSource {
        let all = try all()
        guard let found = all.first(where: { $0.name == name }) else {
            throw .usage(
                "\(Terminal.safe(name)): no published source has this name; there are "
                    + all.map(\.name).joined(separator: ", "))
        }
        return found
    }

    var json: JSONValue {
        [
            "name": .string(name), "publisher": .string(publisher), "address": .string(address),
            "list": JSONValue(list), "readFrom": .string(readFrom), "readOn": .string(readOn),
        ]
    }

    var text: String {
        """
        \(name)  \(publisher)
          page: \(address)
          list: \(list ?? "no address can be cited; find it on the page")
          read on \(readOn) from \(readFrom)
        """
    }
}
