internal import MdocModel
internal import OpenSSLCrypto
internal import PKIX

/// What is read from text: `mdoc:` URIs, dates, object identifiers and PEM.
func fuzzText(_ input: ArraySlice<UInt8>) {
    checkURI(input)
    if let date = DateText(input) { checkDate(date) }
    if let text = String(validating: input, as: UTF8.self), let identifier = ObjectIdentifier(dotted: text) {
        let again = ObjectIdentifier(dotted: identifier.description)
        demand(again == identifier, "an identifier written anew is another")
    }
    guard let blocks = try? PEM.decode(input, label: "CERTIFICATE") else { return }
    for block in blocks {
        let written = PEM.encode(block[...], label: "CERTIFICATE")
        demand(
            (try? PEM.decode(written[...], label: "CERTIFICATE")) == [block],
            "a block written anew is another")
    }
    _ = try? certificates(fromPEMOrDER: input)
}

private func checkURI(_ input: ArraySlice<UInt8>) {
    let text = String(decoding: input, as: UTF8.self)
    guard let engagement = try? EngagementURI.deviceEngagement(in: text) else { return }
    demand(!engagement.isEmpty, "an empty engagement")
    let again = try? EngagementURI.deviceEngagement(in: EngagementURI.text(for: engagement))
    demand(again == engagement, "a text written anew is another engagement")
}

private func checkDate(_ date: DateText) {
    let written =
        switch date.value {
        case .instant(let instant): "\(instant)"
        case .day(let day): "\(day)"
        }
    // An offset may carry an instant out of the years that have four digits.
    guard written.utf8.count <= "2000-01-01T00:00:00Z".utf8.count, written.utf8.first != UInt8(ascii: "-")
    else {
        return
    }
    guard let again = DateText(written.utf8) else { fatalError("a date written anew is refused") }
    demand(again.value == date.value && again.form.isEmpty, "a date written anew is another")
}
