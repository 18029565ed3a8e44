internal import ArgumentParser
internal import CommandLineInterface
internal import JSON
internal import MdocModel
internal import MdocSession
internal import MdocTrust
internal import MdocWallet
internal import NDEF
internal import OpenSSLCrypto
internal import PKIX

/// The options that describe the phone that the software wallet simulates.
struct WalletArguments: ParsableArguments {
    @Option(
        name: .long,
        help: "The wallet to behave like: \(Self.profiles).")
    var profile = WalletProfile.generic.name

    @Option(name: .long, help: "The handover: qr, static or negotiated (default: the wallet's own).")
    var handover: HandoverKind?

    @Flag(
        name: .long,
        help:
            "Offer only Bluetooth, as real wallets do. Without this option the wallet also offers NFC data transfer."
    )
    var noNFCRetrieval = false

    @Option(
        name: .long,
        help: """
            The phone's Bluetooth role: central (the phone connects to the reader, as real wallets do), peripheral (the \
            reader connects to the phone), or both.
            """)
    var bleRole = BLERoleArgument.central

    @Option(
        name: .long,
        help: ArgumentHelp("The L2CAP channel that the engagement names, 128 to 255.", valueName: "number"))
    var psm: Int?

    @Flag(name: .long, help: "Prove possession of the document's key by a MAC instead of a signature.")
    var mac = false

    @Option(name: .long, help: ArgumentHelp("The size of the portrait, in bytes.", valueName: "bytes"))
    var portraitSize = TestLicence().portraitSize

    @Option(name: .long, help: ArgumentHelp("The age of the holder.", valueName: "years"))
    var age = TestLicence().age

    @Option(
        name: .long,
        help: ArgumentHelp(
            "A document of the holder: \(TestDocumentKind.allCases.map(\.rawValue).joined(separator: ", ")). Repeatable.",
            discussion: "The default is the licence, mdl.", valueName: "document"))
    var holds: [TestDocumentKind] = []

    @Option(
        name: .long,
        help: ArgumentHelp(
            "An age that the documents attest. Repeatable (default: 18, 21 and 65).", valueName: "years"))
    var attests: [Int] = []

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Answer only readers whose certificate was issued by one of these roots.",
            discussion: "PEM or DER.", valueName: "file"))
    var readerRoots: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Answer only readers that an authority in this list certified. The list is a RICAL of the draft second edition.",
            valueName: "file"))
    var readerList: String?

    @Option(
        name: .long,
        help: ArgumentHelp("The root certificate of the provider of --reader-list.", valueName: "file"))
    var readerListProvider: String?

    @Option(
        name: .long,
        help:
            "How --reader-roots and --reader-list are applied: \(ReaderTrust.Policy.allCases.map(\.rawValue).joined(separator: ", "))."
    )
    var readerPolicy = ReaderTrust.Policy.alwaysRequire

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The holder's decision: \(Holder.Decision.allCases.map(\.rawValue).joined(separator: ", ")).",
            discussion: "If given twice, the second applies to the second and later requests of a session."))
    var decision: [Holder.Decision] = []

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The time that the holder reads before deciding, in milliseconds.", valueName: "milliseconds"))
    var consentTime = 0

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The one fault that the wallet makes: a rule of the corpus that `countersign-lab corpus` writes, or a fault of the card, of NFC v2, or of an answer to an app or a page. To list all faults, give an unknown name.",
            valueName: "name"))
    var fault: String?

    private static let profiles = (WalletProfile.all + WalletProfile.version2).map(\.name)
        .joined(separator: ", ")

    func validate() throws {
        guard WalletProfile.named(profile) != nil else {
            throw ValidationError("--profile takes one of: \(Self.profiles).")
        }
        // Every wallet can show a QR code.
        if let handover, handover != .qr, presentation.profile.behaviours[handover] == nil {
            throw ValidationError("The \(profile) wallet has no \(handover.rawValue) handover.")
        }
        if let psm {
            guard L2CAPPSM(psm) != nil else { throw ValidationError("--psm takes 128 to 255.") }
            // The phone offers an L2CAP channel only if it is the Bluetooth server (mdoc peripheral server
            // mode).
            guard bleRole != .central else {
                throw ValidationError("--psm needs --ble-role peripheral or both.")
            }
        }
        guard bleRole == .central || presentation.profile.hasBluetooth else {
            throw ValidationError("The \(profile) wallet has no Bluetooth.")
        }
        guard (TestPortrait.minimumSize...(1 << 20)).contains(portraitSize) else {
            throw ValidationError("--portrait-size takes \(TestPortrait.minimumSize) to \(1 << 20).")
        }
        guard (readerList == nil) == (readerListProvider == nil) else {
            throw ValidationError("Give --reader-list and --reader-list-provider together.")
        }
        guard decision.count <= 2 else { throw ValidationError("Give --decision at most twice.") }
        guard Set(holds).count == holds.count else {
            throw ValidationError("--holds names a document twice.")
        }
        guard attests.allSatisfy((0...99).contains) else { throw ValidationError("--attests takes 0 to 99.") }
        guard (0...120).contains(age) else { throw ValidationError("--age takes 0 to 120.") }
        guard (0...3_600_000).contains(consentTime) else {
            throw ValidationError("--consent-time takes 0 to 3600000 milliseconds.")
        }
        if let fault, PresentationCase.named(fault) == nil, CardFault(rawValue: fault) == nil,
            WalletVersion2Fault(rawValue: fault) == nil
        {
            let names =
                PresentationCase.all.map(\.name) + CardFault.allCases.map(\.rawValue)
                + WalletVersion2Fault.allCases.map(\.rawValue)
                + PresentationFault.allCases.map(\.rawValue)
            throw ValidationError("--fault takes one of:\n  " + names.joined(separator: "\n  "))
        }
    }

    /// The presentation that these options describe. If `--fault` names a case, the presentation is that case
    /// with the other options applied.
    var presentation: PresentationCase {
        // `--fault` may also be a fault of the card or of NFC v2. Here it is only the name of a new case.
        // `presented(at:)` passes the fault to the wallet.
        var presentation = fault.flatMap(PresentationCase.named) ?? PresentationCase(fault ?? "wallet")
        var profile = WalletProfile.named(self.profile) ?? .generic
        if !noNFCRetrieval { profile = profile.addingNFCCarrier() }
        profile.bluetoothRole = bleRole.role
        if let psm = psm.flatMap({ L2CAPPSM($0) }) { profile = profile.adding(psm) }
        presentation.profile = profile
        presentation.handover = handover ?? presentation.handover
        if mac { presentation.authenticateByMAC() }
        presentation.licence.portraitSize = portraitSize
        presentation.licence.age = age
        if !attests.isEmpty { presentation.licence.attestedAges = attests }
        if !holds.isEmpty { presentation.documents = holds }
        presentation.decision = decision.first ?? .consents
        return presentation
    }

    /// The handover at a PC/SC reader: the value of `--handover`, or the first NFC handover of this wallet.
    var handoverAtReader: HandoverKind {
        handover ?? presentation.profile.nfcHandovers.first ?? .qr
    }

    /// Returns the rules that decide which readers the phone answers.
    private func readerTrust(at now: Timestamp) throws(CommandFailure) -> ReaderTrust {
        let roots = try readerRoots.map(Self.certificates) ?? []
        guard let readerList, let readerListProvider else {
            return roots.isEmpty ? ReaderTrust() : ReaderTrust(readerPolicy, roots: roots)
        }
        // A certificate that cannot be a root is left out. If no root remains, the reader list is refused.
        let providers = try Self.certificates(in: readerListProvider).compactMap { try? TrustAnchor($0) }
        let bytes = try InputFile.read(readerList, limit: UnverifiedRICAL.maximumSize)
        do throws(RICALError) {
            let entries = try UnverifiedRICAL(bytes[...]).verify(
                by: providers, at: now
            ).entries
            return ReaderTrust(
                readerPolicy, roots: roots + entries.filter { !$0.isConstrained }.map(\.certificate),
                constrainedAuthorities: entries.filter(\.isConstrained).map(\.certificate))
        } catch {
            throw .malformed("\(Terminal.safe(readerList)): \(error.explanation)")
        }
    }

    /// Reads the certificates of a PEM file, or the one certificate of a DER file.
    private static func certificates(in path: String) throws(CommandFailure) -> [Certificate] {
        let contents = try InputFile.read(path)
        let encoded = (try? PEM.decode(contents[...], label: "CERTIFICATE")) ?? []
        // A certificate that cannot be parsed is left out, so that the other roots of the file stay usable.
        let found = (encoded.isEmpty ? [contents] : encoded).compactMap { try? Certificate(der: $0[...]) }
        guard !found.isEmpty else {
            throw .malformed("\(Terminal.safe(path)): the file is not a certificate in PEM or DER")
        }
        return found
    }

    /// Makes the phone, with documents that a test issuer signs at `now`.
    ///
    /// - Parameter root: the root of an earlier issuer. Nil for a new issuer.
    func presented(
        under root: TestIssuerRoot? = nil, at now: Timestamp
    ) throws(CommandFailure) -> PresentedWallet {
        let readerTrust = try readerTrust(at: now)
        do throws(WalletError) {
            var presented = try PresentedWallet(presentation, under: root, at: now)
            presented.wallet.holder.readerTrust = readerTrust
            // The first `--decision` applies to the first request, and the second one to all later requests.
            presented.wallet.furtherDecision = decision.dropFirst().first
            presented.wallet.consentTime = .milliseconds(consentTime)
            presented.wallet.cardFault = fault.flatMap(CardFault.init)
            presented.wallet.version2Fault = fault.flatMap(WalletVersion2Fault.init)
            return presented
        } catch {
            throw .unavailable("the wallet cannot be made: \(error)")
        }
    }
}

/// The argument of `--ble-role`: the phone's Bluetooth role.
enum BLERoleArgument: String, ExpressibleByArgument, CaseIterable {
    case central, peripheral, both

    var role: BluetoothLERole {
        switch self {
        case .central: .centralOnly
        case .peripheral: .peripheralOnly
        case .both: .bothCentralPreferred
        }
    }
}

extension HandoverKind: ExpressibleByArgument {}
extension TestDocumentKind: ExpressibleByArgument {}
extension ReaderTrust.Policy: ExpressibleByArgument {}
extension Holder.Decision: ExpressibleByArgument {}
