internal import MdocModel
internal import OpenSSLCrypto

/// The bytes of a status or identifier list: parsed and opened when that is first needed.
package final class HeldStatusToken: Sendable {
    let bytes: ArraySlice<UInt8>
    private let parsed = Once<Result<StatusToken, StatusTokenError>>()
    private let opened = Once<Result<StatusListContent, StatusTokenError>>()
    private let digestOfIssuer = Once<[UInt8]?>()
    private let claimGap = Once<Bool>()
    private let gap = Once<Bool>()

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
    }

    package func token() throws(StatusTokenError) -> StatusToken {
        try parsed.value { Result { () throws(StatusTokenError) in try StatusToken(bytes) } }.get()
    }

    /// The statuses or identifiers. Opening a list of statuses decompresses it.
    func content() throws(StatusTokenError) -> StatusListContent {
        let token = try token()
        return try opened.value {
            Result { () throws(StatusTokenError) in try StatusListContent(token) }
        }.get()
    }

    /// A digest of those who issued the signer's certificate: see `StatusToken.issuerDigest(of:)`.
    var issuerDigest: [UInt8]? {
        digestOfIssuer.value {
            // A token without a claim that has to be there still names its signer.
            (try? token()).map { $0.issuerDigest } ?? StatusToken.issuerDigest(of: bytes)
        }
    }

    /// Whether claims are missing or cannot be read. The list is not opened for that.
    var lacksClaims: Bool {
        claimGap.value { (try? token())?.gaps.isEmpty == false }
    }

    /// Whether claims or entries are missing or cannot be read.
    var isIncomplete: Bool {
        gap.value { (try? open())?.gaps.isEmpty == false }
    }

    /// How many statuses or identifiers the list has, and what of the token cannot be read.
    func open() throws(StatusTokenError) -> (count: Int, gaps: [StatusTokenError]) {
        let (token, content) = (try token(), try content())
        switch content {
        case .statuses(let list): return (list.count, token.gaps)
        case .identifiers(let list):
            return (list.identifiers.count, token.gaps + (list.isComplete ? [] : [.identifierUnreadable]))
        }
    }
}

/// The entries of a status or identifier list.
enum StatusListContent: Sendable {
    case statuses(StatusList)
    case identifiers(RevokedIdentifiers)

    fileprivate init(_ token: StatusToken) throws(StatusTokenError) {
        switch token.kind {
        case .statusList: self = .statuses(try token.statusList())
        case .identifierList: self = .identifiers(try token.identifiers())
        }
    }
}
