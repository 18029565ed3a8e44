internal import CBOR
internal import JSON
internal import ReaderStore
internal import Reports

/// A chain of receipts as it is handed to whoever checks it. Only the seeds are signed, so that nothing else is intact.
@discardableResult
func fuzzReceiptChain(_ input: ArraySlice<UInt8>) -> Bool {
    guard let chain = try? ReceiptChain(parsing: Array(input)) else { return false }
    demand(
        (try? ReceiptChain(parsing: chain.encoded()))?.links == chain.links, "a chain written anew is another"
    )
    let ledger = FuzzLedger.standard
    switch chain.verify(by: [ledger.publicKey]) {
    case .intact(let count, let head):
        demand(count == chain.links.count, "a link is lost")
        demand(head == chain.head ?? SignedReceipt.origin, "another head than the last link's")
        for link in chain.links {
            guard let receipt = try? SignedReceipt(parsing: link) else {
                fatalError("a link that holds is no receipt")
            }
            demand(ledger.isGenuine(receipt), "a forged receipt is believed")
        }
        checkHead(of: chain, head, by: ledger.publicKey)
        return count > 0
    case .broken(let place, let fault):
        demand((1...Int64(chain.links.count)).contains(place), "a break outside the chain")
        demand(fault != .endMissing, "an end is missed that nobody expects")
        let before = ReceiptChain(Array(chain.links.prefix(Int(place) - 1)))
        guard case .intact = before.verify(by: [ledger.publicKey]) else {
            fatalError("a link breaks before the first that does")
        }
        return false
    }
}

private func checkHead(of chain: ReceiptChain, _ head: [UInt8], by key: ReceiptPublicKey) {
    demand(
        chain.verify(by: [key], expecting: head) == .intact(count: chain.links.count, head: head),
        "the head of a chain is missed")
    demand(
        chain.verify(by: [key], expecting: head.map { $0 ^ 1 })
            == .broken(at: Int64(chain.links.count) + 1, .endMissing), "a head is found that is not there")
    let isEmpty = chain.links.isEmpty
    demand(
        chain.verify(by: []) == .intact(count: 0, head: SignedReceipt.origin) || !isEmpty,
        "an empty chain needs a key")
    guard !isEmpty else { return }
    demand(chain.verify(by: []) == .broken(at: 1, .keyUnknown(key.id)), "a chain is believed without a key")
}

/// A receipt from its bytes to its statement: as it comes, with the input as what the key signed, and with the input as
/// the statement.
@discardableResult
func fuzzSignedReceipt(_ input: ArraySlice<UInt8>) -> Bool {
    let ledger = FuzzLedger.standard
    var isGenuine = false
    if let receipt = try? SignedReceipt(parsing: Array(input)) {
        check(receipt)
        isGenuine = isSigned(receipt)
        demand(!isGenuine || ledger.isGenuine(receipt), "a forged receipt is believed")
    }
    if let receipt = try? SignedReceipt(parsing: ledger.signed(Array(input))) {
        check(receipt)
        demand(isSigned(receipt), "a receipt that the key signed is not believed")
    }
    if let item = try? CBORItem.parse(input) { checkStatement(item) }
    return isGenuine
}

private func check(_ receipt: SignedReceipt) {
    demand(
        receipt.sequence > 0 && receipt.previous.count == SignedReceipt.origin.count, "no place in a chain")
    demand(receipt.keyID.bytes.count == ReceiptPublicKey.ID.size, "an id of another size")
    demand(!receipt.json.text.isEmpty, "a receipt without a text")
    checkStatement(receipt.content)
}

private func checkStatement(_ item: CBORItem) {
    guard let content = try? ReceiptContent(item) else { return }
    demand(content.encoded().elementsEqual(item.encoded), "contents have two encodings")
    switch content {
    case .presentation(let statement): checkStatement(statement, of: item)
    case .outputs(let statement):
        let count = statement.outputs.count
        demand((1...OutputsStatement.mostOutputs).contains(count), "outputs outside the limits")
        demand(statement.outputs.allSatisfy(\.state.isSettled), "an output that is not settled")
    }
}

private func checkStatement(_ statement: ReceiptStatement, of item: CBORItem) {
    demand(statement.encoded().elementsEqual(item.encoded), "a statement has two encodings")
    demand(
        [statement.questions.count, statement.reasons.count, statement.documents.count]
            .allSatisfy { $0 <= ReceiptStatement.mostEntries }, "a list beyond the limit")
    demand(!statement.json.text.isEmpty, "a statement without a text")
}

/// Whether the ledger's key signed it, wherever it stands.
private func isSigned(_ receipt: SignedReceipt) -> Bool {
    let key = FuzzLedger.standard.publicKey
    switch ReceiptChain([receipt.encoded]).verify(by: [key]) {
    case .intact, .broken(_, .missing), .broken(_, .outOfOrder), .broken(_, .predecessorDiffers): return true
    case .broken(_, .changed), .broken(_, .keyUnknown): return false
    case .broken(_, .malformed), .broken(_, .endMissing), .broken(_, .headDiffers):
        fatalError("a receipt that was read is none")
    }
}
