internal import MdocVerification
internal import DaemonClient
internal import Foundation
internal import Glibc
internal import ReaderStore

/// A display that is a program of another user and listens on a Unix socket. The viewer receives one line of
/// JSON and answers with one word.
struct ViewerDisplay: DisplayChannel {
    let path: String
    /// Whether a viewer that runs as this program's user is accepted. Such a viewer hides nothing from the
    /// app, so only tests set this property.
    var acceptingOwnUser = false

    func show(
        _ result: ShownResult, asking isAsking: Bool, during time: DisplayTime, shown: () -> Void
    ) throws(MobileDocumentReaderError) -> ResultShowing.ValidationOutcome {
        let line = try connected()
        guard var message = try? JSONEncoder().encode(Message(result, isAsking: isAsking)) else {
            throw .unknown(.internalFault)
        }
        message.append(UInt8(ascii: "\n"))
        guard line.write([UInt8](message), during: time) else {
            throw .serviceUnavailable(.displayUnavailable(.viewerLost))
        }
        shown()
        switch line.line(during: time) {
        case .timeOver: return .dismissed
        case .line("approved") where isAsking: return .approved
        case .line("rejected") where isAsking: return .rejected
        case .line("dismissed") where isAsking: return .dismissed
        // A viewer that sends an unknown word, or any word although the app asks the operator, is treated
        // like a closed connection.
        case .line, .closed: throw .serviceUnavailable(.displayUnavailable(.viewerLost))
        }
    }

    /// Connects to the viewer. Throws if no viewer listens, or if the viewer runs as this program's user.
    private func connected() throws(MobileDocumentReaderError) -> DisplayLine {
        // Non-blocking, because `connect` would otherwise wait without a time limit for a viewer that accepts
        // no more connections.
        let type = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let descriptor = socket(AF_UNIX, Int32(type), 0)
        guard descriptor >= 0 else {
            throw .serviceUnavailable(.displayUnavailable(.viewerAbsent))
        }
        let line = DisplayLine(owning: descriptor)
        guard DaemonSocket.connect(descriptor, to: path) else {
            throw .serviceUnavailable(.displayUnavailable(.viewerAbsent))
        }
        // The members of `struct ucred`, of four bytes each: process, user, group. So `peer[1]` is the user.
        var peer: [UInt32] = [0, 0, 0]
        var length = socklen_t(3 * MemoryLayout<UInt32>.size)
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0,
            length == 12, acceptingOwnUser || peer[1] != getuid()
        else { throw .notAllowed(.displayUnavailable(.viewerOfOwnUser)) }
        return line
    }
}

extension ViewerDisplay {
    /// The message to the viewer, as described in `Documentation/Decisions/display-without-data.md`.
    private struct Message: Encodable {
        struct Age: Encodable {
            let years: Int
            let answer: String
        }

        let brand: String?
        /// Whether the viewer asks the operator for the decision. With `false`, the app asks, and the viewer
        /// shows the result until the connection ends.
        let isAsking: Bool
        /// Whether the operator must decide if the person matches the document. With `false`, the viewer asks
        /// the operator only to continue.
        let isConfirmed: Bool
        /// Whether a test issuer signed the document. The viewer must say that such a document proves
        /// nothing.
        let isTest: Bool
        let familyName: String?
        let givenName: String?
        let age: Int?
        let ages: [Age]
        /// The portrait in base64.
        let portrait: Data?
        /// The reason why there is no portrait to compare, or `nil` if there is one.
        let portraitFault: String?

        init(_ result: ShownResult, isAsking: Bool) {
            brand = result.brand
            self.isAsking = isAsking
            isConfirmed = result.asked.validationMode == .confirm
            isTest = result.isTest
            familyName = result.familyName
            givenName = result.givenName
            age = result.age
            ages = result.ages.map { Age(years: $0.years, answer: $0.answer.rawValue) }
            portrait = result.portrait
            portraitFault = result.portraitFault
        }
    }
}
