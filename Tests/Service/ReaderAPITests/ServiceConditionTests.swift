import Accessories
import JSON
import MdocModel
import ReaderStore
import RequestPlanner
import Testing
import WalletPresentation

@testable import PresentationService
@testable import ReaderAPI

@Suite("What the conditions of the service are over HTTP")
struct ServiceConditionTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let error: PresentationServiceError
        let id: APIProblem.ID
        let status: Int
        var pointer: String?

        var testDescription: String { error.name }
    }

    @Test(
        "A condition has its id, its status and the member at fault",
        arguments: [
            Row(error: .laneUnknown, id: .laneUnknown, status: 404),
            Row(error: .orderedLaneUnknown, id: .laneUnknown, status: 404, pointer: "/lane"),
            Row(
                error: .intentRefused(.nothingAsked, in: .first), id: .intentRefused, status: 400,
                pointer: "/intent"),
            Row(
                error: .intentRefused(.nothingAsked, in: .further), id: .intentRefused, status: 400,
                pointer: "/then/intent"),
            Row(error: .presetUnknown, id: .presetUnknown, status: 404),
            Row(error: .displayRetainsNoData, id: .retentionRefused, status: 400, pointer: "/retention"),
            Row(error: .consentMissing, id: .retentionRefused, status: 400, pointer: "/consent"),
            Row(error: .consentNotRepeated, id: .retentionRefused, status: 409),
            Row(error: .identityBesideToken, id: .identityRefused, status: 400, pointer: "/identity"),
            Row(error: .identityOfBrand, id: .identityRefused, status: 403, pointer: "/identity"),
            Row(error: .tooManyOrders(limit: 3, retryAfter: 7), id: .tooManyOrders, status: 429),
            Row(
                error: .referenceBusy(PresentationID("a")), id: .referenceBusy, status: 409,
                pointer: "/reference"),
            Row(error: .laneNotArmed, id: .laneNotArmed, status: 409),
            Row(
                error: .engagementMalformed(.notAnEngagementURI), id: .engagementMalformed, status: 400,
                pointer: "/uri"),
            Row(error: .engagementReused, id: .engagementReused, status: 409, pointer: "/uri"),
            Row(error: .tooManyEngagements(retryAfter: 9), id: .tooManyEngagements, status: 429),
            Row(error: .accessoryUnknown, id: .accessoryUnknown, status: 404),
            Row(error: .accessoryNotConnected, id: .accessoryNotConnected, status: 409),
            Row(error: .accessoryNotReady("lock"), id: .accessoryNotReady, status: 503),
            Row(error: .outputNotDue, id: .outputNotDue, status: 409),
            Row(error: .tryRefused(.notAtComputer), id: .tryRefused, status: 403),
            Row(error: .tryRefused(.kind("keys")), id: .tryRefused, status: 409),
            Row(error: .tryRefused(.notReady(.absent)), id: .tryRefused, status: 503),
            Row(error: .tryRefused(.presentation), id: .tryRefused, status: 409),
            Row(error: .tryRefused(.output), id: .tryRefused, status: 409),
            Row(error: .tryRefused(.inProgress), id: .tryRefused, status: 409),
            Row(error: .tooManyTries(retryAfter: 9), id: .tooManyTries, status: 429),
            Row(error: .tryUnanswered(.pulse), id: .tryUnanswered, status: 503),
            Row(error: .tryNotDue, id: .tryNotDue, status: 409),
            Row(error: .trustUnavailable(.busy), id: .trustUnavailable, status: 503),
            Row(error: .recordsUnavailable(.busy), id: .recordsUnavailable, status: 503),
            Row(error: .nonceRefused(.askedTooLong), id: .bodyTooLong, status: 413),
            Row(error: .nonceRefused(.refused(.reused)), id: .nonceReused, status: 403),
        ])
    func translated(_ row: Row) {
        let problem = APIProblem(row.error)
        #expect(problem.id == row.id && problem.status == row.status && problem.pointer == row.pointer)
    }
}
