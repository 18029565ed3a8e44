internal import MdocModel
internal import OpenSSLCrypto

/// The bytes of a status or identifier list. They are parsed and opened at their first use.
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

    /// Returns the statuses or identifiers. The first access decompresses a list of statuses.
    func content() throws(StatusTokenError) -> StatusListContent {
        let token = try token()
        return try opened.value {
            Result { () throws(StatusTokenError) in try StatusListContent(token) }
        }.get()
    }

    /// A digest of the issuers of the signer's certificate: see `StatusToken.issuerDigest(of:)`.
    var issuerDigest: [UInt8]? {
        digestOfIssuer.value {
            // The signer's certificate can be read even if the token lacks a required claim.
            (try? token()).map { $0.issuerDigest } ?? StatusToken.issuerDigest(of: bytes)
        }
    }

    /// Whether claims are missing or cannot be read. The list itself is not opened.
    var lacksClaims: Bool {
        claimGap.value { (try? token())?.gaps.isEmpty == false }
    }

    /// Whether claims or entries are missing or cannot be read. False if the list cannot be opened at all.
    var isIncomplete: Bool {
        gap.value { (try? open())?.gaps.isEmpty == false }
    }

    /// Opens the list.
    ///
    /// - Returns: The number of statuses or identifiers, and the parts of the token that are missing or
    ///   cannot be read.
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
