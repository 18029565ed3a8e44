import MdocModel

@testable import ReaderAPI

/// Nobody is trusted.
struct NoBasis: JudgingBasisSource {
    let acceptsTestDocuments = false

    func basis() throws(APIProblem) -> JudgingBasis { throw .trustNotSetUp }
    func identities(at now: Timestamp) throws(APIProblem) -> ReaderIdentityChoice { throw .trustNotSetUp }
    func identity(named name: String, at now: Timestamp) throws(APIProblem) -> ReaderIdentity {
        throw .trustNotSetUp
    }
}
