import MdocModel

@testable import PresentationService

/// Nobody is trusted.
struct NoBasis: JudgingBasisSource {
    let acceptsTestDocuments = false

    func basis() throws(PresentationServiceError) -> JudgingBasis { throw .trustNotSetUp }
    func identities(at now: Timestamp) throws(PresentationServiceError) -> ReaderIdentityChoice {
        throw .trustNotSetUp
    }
    func identity(named name: String, at now: Timestamp) throws(PresentationServiceError) -> ReaderIdentity {
        throw .trustNotSetUp
    }
}
