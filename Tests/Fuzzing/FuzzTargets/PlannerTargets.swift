internal import CBOR
internal import MdocModel
internal import RequestPlanner

/// The text of an intent, and what is planned from it.
func fuzzRequestIntent(_ input: ArraySlice<UInt8>) {
    guard let text = String(validating: input, as: UTF8.self),
        let intent = try? RequestIntent(parsing: text)
    else { return }
    demand((try? RequestIntent(parsing: intent.description)) == intent, "an intent written anew is another")
    guard let plan = try? RequestPlan(intent, keeping: .consented) else { return }
    let drafts = plan.drafts(for: .extendedRequest) + plan.drafts(for: [])
    demand(drafts.count >= 2, "a plan that asks nothing")
    for document in drafts.flatMap(\.documents) {
        let written = DeviceRequest.encode([(items: document.encoded(), readerAuth: nil)])
        let read = try? DeviceRequest(written[...])
        demand(read?.docRequests.map(\.itemsRequest) == [document], "what was planned does not read back")
        demand(
            document.nameSpaces.flatMap(\.elements).compactMap { AgeAttestation($0.identifier) }.count <= 2,
            "more than two ages")
    }
}

/// Driving privileges, as ISO and as AAMVA have them.
func fuzzDrivingPrivileges(_ input: ArraySlice<UInt8>) {
    guard let item = try? CBORItem.parse(input) else { return }
    if let list = try? DrivingPrivilege.list(item) {
        demand(list.allSatisfy { $0.codes.allSatisfy { $0.code != nil } }, "a condition without its code")
    }
    if let list = try? DomesticDrivingPrivilege.list(item) {
        demand(list.count <= 128, "a list without end")
    }
}
