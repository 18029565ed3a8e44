internal import ArgumentParser
internal import CBOR
internal import CommandLineInterface
internal import ErrorMapping
internal import FoundationEssentials
internal import JSON
internal import MdocModel
internal import NDEF
internal import OpenSSLCrypto
internal import PKIX

/// `countersign inspect`: recognises and shows the contents of files. Nothing is verified.
struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show the contents of files, or of the text of a QR code.",
        discussion: """
            Recognises and shows:
              - CBOR, binary or in base64url: engagement, request, response and their
                parts, mobile security object (MSO), session messages, transcripts,
                VICAL, RICAL, status lists, COSE
              - the text of a QR code (mdoc:…)
              - NDEF messages
              - X.509 certificates in DER or PEM
              - APDU traces as written by `countersign request --trace`

            The first line of the output names the structure. CBOR is shown in diagnostic notation (RFC 8949 \
            section 8). Items embedded in tag 24 or in COSE structures are shown as `<<…>>`. If an item's \
            head (type and length) has more bytes than necessary, the item is marked _0 to _3. Long strings \
            are cut; --full shows them whole.

            Nothing is verified and nothing is hidden: element values are shown as they are in the file.

            EXAMPLES:
              countersign inspect response.cbor iaca.der
              countersign inspect --full transcript.cbor
              countersign inspect trace.txt
              countersign inspect 'mdoc:owBjMS4w…'
              curl https://shop.example/request | countersign inspect -

            \(ExitStatus.table([.success, .usage, .malformed]))
            """)

    @Argument(
        help: ArgumentHelp(
            "The files to show, - for the standard input, or the text of a QR code (mdoc:…).",
            valueName: "file"))
    var files: [String]

    @Flag(name: .long, help: "Show long strings in full.")
    var full = false

    @Option(name: .long, help: ArgumentHelp("The largest file to read, in bytes.", valueName: "bytes"))
    var maxMessage = InputFile.messageLimit

    @OptionGroup var output: OutputArguments

    func validate() throws {
        guard (1...(1 << 30)).contains(maxMessage) else {
            throw ValidationError("--max-message needs a number from 1 to \(1 << 30).")
        }
        guard files.count(where: { $0 == Self.standardInput }) <= 1 else {
            throw ValidationError("Give - once: the standard input can be read only once.")
        }
    }

    /// Shows every file that can be read. Each file that cannot be shown has an error with an exit status.
    /// The command ends with the highest of these statuses.
    func run() throws {
        var reports: [JSONValue] = []
        var status = ExitStatus.success
        for path in files {
            do throws(CommandFailure) {
                let specimen = try Progress.during("Reading") { () throws(CommandFailure) in
                    try self.specimen(at: path)
                }
                if output.json {
                    reports.append(
                        [
                            "file": .string(path), "kind": .string(specimen.kind),
                            "text": .string(specimen.text),
                        ])
                } else {
                    Terminal.result("\(Terminal.safe(path)): \(specimen.kind)\n\(specimen.text)")
                }
            } catch {
                if error.status.rawValue > status.rawValue { status = error.status }
                if output.json { reports.append(["file": .string(path), "error": .string(error.message)]) }
                Terminal.message(Terminal.errorPrefix + error.message)
            }
        }
        if output.json { Terminal.result(JSONValue.array(reports).text) }
        if status != .success { throw ExitCode(status.rawValue) }
    }

    private static let standardInput = "-"

    private func specimen(at path: String) throws(CommandFailure) -> Specimen {
        let bytes = try bytes(at: path)
        return try mapping(Inspection(isFull: full).specimen(in: bytes)) { (error: InspectionError) in
            CommandFailure.malformed("\(Terminal.safe(path)): \(error.message)")
        }
    }

    /// Returns the bytes of a file or of the standard input. If `path` is the text of a QR code (`mdoc:…`)
    /// and no file has this name, returns the bytes of the text itself.
    private func bytes(at path: String) throws(CommandFailure) -> [UInt8] {
        if path.prefix(5).lowercased() == "mdoc:", !FileManager.default.fileExists(atPath: path) {
            return Array(path.utf8)
        }
        return try InputFile.read(path == Self.standardInput ? "/dev/stdin" : path, limit: maxMessage)
    }
}

/// The recognised contents of a file.
struct Specimen: Sendable {
    /// The name of the structure, the clause that defines it, and its size.
    let kind: String
    /// The contents as text, on several lines.
    let text: String
}

/// The reason why the contents of a file cannot be shown. The message contains the position of the error, as
/// a byte or a line.
struct InspectionError: Error {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}

/// Recognises the contents of a file and shows them as text. Nothing is verified.
struct Inspection {
    let notation: DiagnosticNotation

    /// - Parameter isFull: Whether long strings are shown whole.
    init(isFull: Bool) {
        notation = .forInspection(isFull: isFull)
    }

    func specimen(in bytes: [UInt8]) throws(InspectionError) -> Specimen {
        guard !bytes.isEmpty else { throw InspectionError("the file is empty (byte 0)") }
        if let specimen = try textSpecimen(in: bytes) { return specimen }
        // 0x30 begins a certificate in DER. A file that has only this byte is the CBOR number -17.
        if bytes.first == 0x30, bytes.count > 1 { return try certificate(bytes) }
        do throws(CBORError) {
            return specimen(of: try CBORItem.parse(bytes[...], limits: Self.limits(bytes)))
        } catch {
            guard let message = try? NDEFMessage.parse(bytes[...]) else {
                throw InspectionError(
                    "the file is not a certificate, an APDU trace or an NDEF message, and cannot be parsed as CBOR: \(error.explanation)"
                )
            }
            return Specimen(kind: "\(message.kind), \(bytes.count) bytes", text: message.text(notation))
        }
    }

    /// Returns the limits for a file of any size. The structures of the standards are nested less deeply than
    /// the limit of 64 levels.
    private static func limits(_ bytes: [UInt8]) -> CBORLimits { CBORLimits(depth: 64, bytes: bytes.count) }

    /// Shows a CBOR item, with notes on its faults and on unusual values.
    private func specimen(of item: CBORItem) -> Specimen {
        let (structure, inner) = CBORStructure.recognise(item)
        var text = item.diagnostic(notation)
        if let complaint = structure.complaint(about: inner) { text += "\nnote: \(complaint)" }
        for remark in structure.remarks(on: inner) + ElementRemarks(on: inner, of: structure).texts {
            text += "\nnote: \(remark)"
        }
        let embedding = inner.encoded.count < item.encoded.count ? "embedded in tag 24: " : ""
        let title = structure.title + structure.detail(of: inner)
        return Specimen(kind: "\(embedding)\(title), \(item.encoded.count) bytes", text: text)
    }

    /// Recognises PEM, the text of a QR code, base64url and APDU traces. Returns `nil` for anything else.
    private func textSpecimen(in bytes: [UInt8]) throws(InspectionError) -> Specimen? {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        let start = text.drop { $0.isWhitespace }
        if start.prefix(5).lowercased() == "mdoc:" { return try engagement(inURI: text) }
        if text.contains("-----BEGIN ") { return try pem(bytes) }
        if let specimen = base64URLSpecimen(start) { return specimen }
        guard let trace = try APDUTrace(text) else { return nil }
        return Specimen(kind: trace.kind, text: trace.text(longestData: notation.longestByteString))
    }

    /// Recognises a CBOR structure in base64url without padding, as web pages send requests and answers.
    /// Returns `nil` for any other text.
    private func base64URLSpecimen(_ text: Substring) -> Specimen? {
        // A text that decodes to one or two bytes is not accepted, because a short word may be valid CBOR by
        // chance.
        let word = text.split(whereSeparator: \.isWhitespace)
        guard word.count == 1, let bytes = Base64URL.decode(word[0].utf8), bytes.count > 2,
            let item = try? CBORItem.parse(bytes[...], limits: Self.limits(bytes))
        else { return nil }
        let structure = CBORStructure.recognise(item).structure
        guard structure != .other, structure != .embedded else { return nil }
        let inner = specimen(of: item)
        return Specimen(kind: "base64url text with \(inner.kind)", text: inner.text)
    }

    /// Shows the DeviceEngagement in the text of a QR code.
    private func engagement(inURI text: String) throws(InspectionError) -> Specimen {
        let bytes = try mapping(EngagementURI.deviceEngagement(in: text)) { (_: MdocModelError) in
            InspectionError("the text after 'mdoc:' is not base64url without padding (byte 0)")
        }
        do throws(CBORError) {
            let inner = specimen(of: try CBORItem.parse(bytes[...], limits: Self.limits(bytes)))
            return Specimen(
                kind: "QR code text (ISO/IEC 18013-5 8.2.2.3) with \(inner.kind)", text: inner.text)
        } catch {
            throw InspectionError("the text after 'mdoc:' is not CBOR: \(error.explanation)")
        }
    }

    private func certificate(_ bytes: [UInt8]) throws(InspectionError) -> Specimen {
        do throws(PKIXError) {
            let certificate = try Certificate(der: bytes[...])
            return Specimen(kind: certificate.kind, text: certificate.text(notation))
        } catch {
            throw InspectionError(
                "the file starts like a certificate but cannot be read as one: \(error.explanation)")
        }
    }

    /// Shows all certificates of PEM text. Other blocks, such as private keys, are not shown.
    private func pem(_ bytes: [UInt8]) throws(InspectionError) -> Specimen {
        let blocks = try mapping(PEM.decode(bytes[...], label: "CERTIFICATE")) {
            (error: OpenSSLCryptoError) in
            InspectionError("the PEM is damaged: \(error.explanation) (byte 0)")
        }
        guard !blocks.isEmpty else {
            throw InspectionError("the PEM has no certificate; private keys are not shown (byte 0)")
        }
        var specimens: [Specimen] = []
        for block in blocks { specimens.append(try certificate(block)) }
        guard specimens.count > 1 else { return specimens[0] }
        return Specimen(
            kind: "\(specimens.count) certificates in PEM",
            text: specimens.map { "\($0.kind)\n\($0.text)" }.joined(separator: "\n"))
    }
}

extension DiagnosticNotation {
    /// Returns the notation of `inspect`: indented, with embedded items opened and certificates named.
    static func forInspection(isFull: Bool) -> DiagnosticNotation {
        var notation = DiagnosticNotation()
        notation.isIndented = true
        notation.opensTag24 = true
        if !isFull {
            // Without --full, long strings are cut and the whole text ends after 4 MiB.
            notation.longestByteString = 48
            notation.longestText = 400
            notation.longestNotation = 1 << 22
        }
        notation.embeddedItems = { array in
            guard CBORStructure.isCOSE(array) else { return [] }
            // The protected header and the payload are byte strings that contain CBOR.
            return [0, 2]
        }
        notation.comment = { bytes in
            if bytes.first == 0x30, let certificate = try? Certificate(der: bytes) {
                let subject = Terminal.safe(certificate.subject.description)
                return "certificate of \(subject), issued by \(Terminal.safe(certificate.issuer.description))"
            }
            guard let message = try? NDEFMessage.parse(bytes), message.isOfHandover else { return nil }
            return message.kind
        }
        return notation
    }
}

/// Remarks on elements whose values depart from the data model of their document type. A part that cannot be
/// parsed gets no remark here.
private struct ElementRemarks {
    /// The largest number of remarks on one file.
    private static let limit = 50

    private(set) var texts: [String] = []

    /// Makes the remarks on a response, a document or an IssuerSigned. Other structures get no remarks.
    init(on item: CBORItem, of structure: CBORStructure) {
        let map = try? item.map()
        switch structure {
        case .deviceResponse:
            for document in (try? map?["documents"]?.array()).map(Array.init) ?? [] {
                add(document: document)
            }
        case .document: add(document: item)
        // A document contains its type beside its IssuerSigned. A separate IssuerSigned has the type only in
        // its MSO.
        case .issuerSigned: add(item, docType: map?["issuerAuth"].flatMap(Self.docType))
        default: break
        }
    }

    /// Adds the remarks on one document of a response.
    private mutating func add(document: CBORItem) {
        guard let map = try? document.map(), let issuerSigned = map["issuerSigned"] else { return }
        add(issuerSigned, docType: try? map["docType"]?.name())
    }

    /// Adds the remarks on the elements of an IssuerSigned. Without a known data model there are no remarks.
    private mutating func add(_ issuerSigned: CBORItem, docType: String?) {
        guard let model = docType.flatMap(DataModel.init(docType:)),
            let nameSpaces = try? issuerSigned.map()["nameSpaces"]?.map()
        else { return }
        for (key, value) in nameSpaces {
            guard let nameSpace = try? key.name(), let items = try? value.array() else { continue }
            for item in items where texts.count < Self.limit { add(item, in: nameSpace, of: model) }
        }
    }

    /// Adds the remark on one element, if its value departs from the data model.
    private mutating func add(_ item: CBORItem, in nameSpace: String, of model: DataModel) {
        guard let content = try? EncodedCBOR<Never>(item).item().map(),
            let identifier = try? content["elementIdentifier"]?.name(), let value = content["elementValue"]
        else { return }
        let name = ElementName(nameSpace: nameSpace, identifier: identifier)
        switch model.element(name)?.form(of: value) {
        case .asDefined, nil: break
        case .deviating(let departure): texts.append("\(name.text): \(departure.rawValue)")
        case .wrongType(let wrong): texts.append(wrong.explanation(of: name.text))
        }
    }

    /// Returns the document type in the payload of an `issuerAuth`.
    private static func docType(inMSOOf issuerAuth: CBORItem) -> String? {
        guard let fields = try? issuerAuth.untagged(18).array(),
            // The payload is the third field of a COSE_Sign1.
            let payload = try? Array(fields.prefix(3)).last?.byteString(),
            let bytes = try? EncodedCBOR<Never>(CBORItem.parse(payload)), let object = try? bytes.item()
        else { return nil }
        return try? object.map()["docType"]?.name()
    }
}
