internal import JSON
internal import PresentationService
internal import ReaderAPI
internal import ReaderStore
internal import WalletPresentation

/// What callers of the HTTP API ask for: a presentation at a till, an app's request and a page's.
///
/// - Returns: whether it is one of them.
@discardableResult
func fuzzPresentationOrder(_ input: ArraySlice<UInt8>) -> Bool {
    guard let text = try? JSONText(input) else { return false }
    return [isOrder(text), isAppOrder(text), isWebOrder(text)].contains(true)
}

private func isOrder(_ text: JSONText) -> Bool {
    do throws(PresentationServiceError) {
        let order = try PresentationOrder(text)
        demand(order == order, "an order differs from itself")
        let retention = order.retention
        demand(retention.days == 0 || order.kind == .data, "what is shown is retained")
        demand(
            retention.days == 0 || !retention.needsConsent || order.consent == .given,
            "retained without the consent that it needs")
        demand(RetentionProfile(retention.name) == retention, "a profile of two names")
        return true
    } catch {
        let problem = APIProblem(error)
        demand(
            (400..<500).contains(problem.status) && !problem.detail.isEmpty,
            "refused for no reason of the caller's"
        )
        return false
    }
}

private func isAppOrder(_ text: JSONText) -> Bool {
    guard let members = try? text.members(AppOrder.members), let order = try? AppOrder(members) else {
        return false
    }
    let kept = order.kept(for: "shop")
    guard let again = try? AppOrder(JSONText(kept[...]).members(AppOrder.members)) else {
        fatalError("an order that was kept is refused")
    }
    demand(again.kept(for: "shop") == kept, "an order that was kept is another")
    demand(
        again.descriptor.itemsRequest == order.descriptor.itemsRequest,
        "an order that was kept asks otherwise")
    return true
}

private func isWebOrder(_ text: JSONText) -> Bool {
    guard let members = try? text.members(WebOrder.members), let order = try? WebOrder(members) else {
        return false
    }
    guard let again = try? WebOrder(JSONText(order.kept[...]).members(WebOrder.members)) else {
        fatalError("an order that was kept is refused")
    }
    demand(again.kept == order.kept, "an order that was kept is another")
    return true
}
