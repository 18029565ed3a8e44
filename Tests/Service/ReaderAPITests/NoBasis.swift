import MdocModel

@testable import ReaderAPI

/// Nobody is trusted.
struct NoBasis: JudgingBasisSource {
    func basis(at now: Timestamp) async throws(APIProblem) -> JudgingBasis { throw .trustNotSetUp }
    func identity(named name: String, at now: Timestamp) async throws(APIProblem) -> ReaderIdentity {
        throw .trustNotSetUp
    }
}
