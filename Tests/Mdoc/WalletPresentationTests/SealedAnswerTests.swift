import CBOR
import MdocModel
import Testing
import VectorFiles

@testable import WalletPresentation

@Suite("Answers that another implementation sealed")
struct SealedAnswerTests {
    private let answers: SealedAnswers

    init() throws {
        answers = try SealedAnswers.read()
    }

    @Test("The envelope names our key and our transcript, and opens")
    func envelope() throws {
        let key = try answers.key()
        #expect(key.hash.hex == answers.recipientKeyHash)
        let envelope = try WalletEnvelope([UInt8](hex: answers.app.envelope)[...])
        #expect(envelope.recipientKeyHash.hex == answers.recipientKeyHash)
        #expect(envelope.infoHash.hex == answers.app.infoHash)
        let opened = try envelope.open(
            with: [key], as: answers.merchant(), answering: answers.spentNonce())
        #expect(opened.transcript.encoded.hex == answers.app.transcript)
        #expect(opened.response.status == 10 && opened.channel == .app)
    }

    @Test("The response of a page opens with the text that was sent and the page's origin")
    func response() throws {
        let info = try EncryptionInfo(answers.web.encryptionInfo)
        #expect(info.nonce.bytes.hex == answers.nonce)
        let opened = try EncryptedResponse(answers.web.response.utf8).open(
            with: answers.key(), encryptionInfo: info, origin: WebOrigin(answers.web.origin),
            answering: answers.spentNonce())
        #expect(opened.transcript.encoded.hex == answers.web.transcript)
        #expect(opened.response.status == 10 && opened.channel == .web)
    }

    @Test("encryptionInfo that we write is what the other implementation wrote")
    func encryptionInfo() throws {
        let info = try EncryptionInfo(
            nonce: PresentationNonce([UInt8](hex: answers.nonce)), for: answers.key())
        #expect(info.text == answers.web.encryptionInfo)
    }

    /// Of the last bytes: what an app's answer and a page's are refused for when this one is changed.
    static let changes: [(index: Int, app: WalletPresentationError, web: WalletPresentationError)] = [
        (5, .notOpened, .notOpened),
        (40, .notOpened, .malformed(.encryptedResponse, .missingMember(at: 7))),
        (120, .recipientKeyUnknown, .malformed(.encryptedResponse, .reservedAdditionalInformation(at: 17))),
        (200, .encapsulatedKeyInvalid, .encapsulatedKeyInvalid),
    ]

    @Test("One byte off, neither opens", arguments: changes)
    func changed(index: Int, app: WalletPresentationError, web: WalletPresentationError) throws {
        var bytes = [UInt8](hex: answers.app.envelope)
        bytes[bytes.count - 1 - index] ^= 1
        #expect(throws: app) {
            try WalletEnvelope(bytes[...]).open(
                with: [answers.key()], as: answers.merchant(), answering: answers.spentNonce())
        }
        var response = try #require(Base64URL.decode(answers.web.response.utf8))
        response[response.count - 1 - index % response.count] ^= 1
        #expect(throws: web) {
            try EncryptedResponse(decoded: response[...]).open(
                with: answers.key(), encryptionInfo: EncryptionInfo(answers.web.encryptionInfo),
                origin: WebOrigin(answers.web.origin), answering: answers.spentNonce())
        }
    }
}
