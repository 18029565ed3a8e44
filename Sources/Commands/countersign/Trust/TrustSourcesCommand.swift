internal import ArgumentParser
internal import CommandLineInterface
internal import JSON

/// `countersign trust sources`: shows published lists of roots and their addresses.
struct TrustSourcesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sources",
        abstract: "Show published lists of roots and their addresses.",
        discussion: """
            Shows for each list its name, its publisher, its address, and where and when the address was \
            found. This program contains no provider's key: a list is trusted only after you add it with \
            `countersign trust add` and your own copy of the provider's root.

            EXAMPLE:
              countersign trust sources

            \(ExitStatus.table([.success, .usage]))
            """)

    @OptionGroup var output: OutputArguments

    func run() throws {
        let sources = try PublishedSource.all()
        let json: JSONValue = ["sources": .array(sources.map(\.json))]
        Terminal.result(output.json ? json.text : sources.map(\.text).joined(separator: "\n"))
    }
}

/// A published list of roots, an entry of `published-sources.json`. The entry has the publisher and the
/// address of the list, but no key.
struct PublishedSource {
    /// The format of a published list.
    enum Format: String, CaseIterable {
        /// A VICAL (ISO/IEC 18013-5 C.1.7), which `countersign trust add` imports.
        case vical
        /// Certificates, each at a separate address.
        case roots
        /// A trusted list in XML (ETSI TS 119 612), which Countersign does not read.
        case etsiTrustedList = "etsi-trusted-list"
    }

    let name: String
    let publisher: String
    let format: Format
    /// The publisher's page about the list.
    let address: String
    /// The address of the list itself, or `nil` if no citable page contains this address.
    let list: String?
    /// The pages from which the addresses were copied.
    private let readFrom: [String]
    /// The day on which the addresses were copied from the pages of `readFrom`.
    private let readOn: String
    /// A remark for the user, or `nil` without a remark.
    let note: String?

    private static let members: Set = [
        "name", "publisher", "format", "address", "list", "readFrom", "readOn", "note",
    ]

    private init(_ text: JSONText) throws(JSONFault) {
        let members = try text.members(Self.members)
        name = try members.required("name").string()
        publisher = try members.required("publisher").string()
        format = try members.required("format").word()
        address = try members.required("address").string()
        let list = try members.required("list")
        self.list = list.isNull ? nil : try list.string()
        readFrom = try members.required("readFrom").array().map { page throws(JSONFault) in
            try page.string()
        }
        readOn = try members.required("readOn").string()
        note = try members["note"]?.string()
    }

    /// Returns the entries of the data file that is built into the program.
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
                "\(Terminal.safe(name)): no published source has this name; give one of "
                    + all.map(\.name).joined(separator: ", "))
        }
        return found
    }

    var json: JSONValue {
        [
            "name": .string(name), "publisher": .string(publisher), "format": .string(format.rawValue),
            "address": .string(address), "list": JSONValue(list),
            "readFrom": .array(readFrom.map { .string($0) }), "readOn": .string(readOn),
            "note": JSONValue(note),
        ]
    }

    var text: String {
        """
        \(name)  \(publisher)
          page: \(address)
          list: \(list ?? "no fixed address is published; find the list on the page")  (\(format.rawValue))
          read on \(readOn) from \(readFrom.joined(separator: " and "))\(note.map { "\n  \($0)" } ?? "")
        """
    }
}
