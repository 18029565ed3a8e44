internal import ISO7816

/// Response and command APDUs and the header of data object '53'.
func fuzzAPDU(_ input: ArraySlice<UInt8>) {
    if let response = try? ResponseAPDU.parse(input) {
        demand(response.encode().elementsEqual(input), "a response does not survive")
        let status = response.status
        demand(!(status.bytesAvailable != nil && status.acceptedLength != nil), "a status of two meanings")
        demand((1...256).contains(status.bytesAvailable ?? 1), "an impossible number of bytes to come")
    } else {
        demand(input.count < 2, "a response with a status was refused")
    }
    if let command = try? CommandAPDU.parse(input) {
        demand(
            (try? CommandAPDU.parse(command.encode()[...])) == command, "a command written anew is another")
        _ = FileOffset(of: command)
    }
    guard let header = try? DiscretionaryData.parseHeader(input) else { return }
    demand((2...5).contains(header.size) && header.size <= input.count, "a header beyond its bytes")
    guard let written = DiscretionaryData.header(forLength: header.length),
        let again = try? DiscretionaryData.parseHeader(written[...])
    else { fatalError("a header that was read cannot be written") }
    demand(again.length == header.length && again.size <= header.size, "a header written anew is another")
}
