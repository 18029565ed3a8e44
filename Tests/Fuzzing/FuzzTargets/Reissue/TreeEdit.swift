internal import MdocWallet

/// A change at one place in a tree of CBOR items.
struct TreeEdit {
    enum Change {
        case replace(CBORDraft)
        case remove
        case duplicate
        case append(CBORDraft, CBORDraft)
        case null
        case reverse
        case swap
        case indefinite
        case wide
        case step(Int64)
        case letter(UInt8)
    }

    /// The member to enter in each container, counted around its end.
    let path: [UInt8]
    let change: Change

    init(path: [UInt8], _ change: Change) {
        self.path = path
        self.change = change
    }

    init(_ script: inout ReissueScript) {
        let depth = 1 + script.number(below: 4)
        path = (0..<depth).map { _ in script.byte() }
        change = Change(&script)
    }

    func apply(to draft: inout CBORDraft) {
        apply(to: &draft, path[...])
    }

    private func apply(to draft: inout CBORDraft, _ path: ArraySlice<UInt8>) {
        guard let step = path.first else { return change.apply(toLeaf: &draft) }
        switch draft {
        case .map(var members), .indefiniteMap(var members):
            guard !members.isEmpty else { return change.apply(toLeaf: &draft) }
            let index = Int(step) % members.count
            if path.count > 1 {
                apply(to: &members[index].value, path.dropFirst())
            } else if case .indefinite = change {
                draft = .indefiniteMap(members)
                return
            } else {
                change.apply(to: index, of: &members)
            }
            draft = .map(members)
        case .array(var items):
            guard !items.isEmpty else { return change.apply(toLeaf: &draft) }
            let index = Int(step) % items.count
            if path.count > 1 {
                apply(to: &items[index], path.dropFirst())
            } else if case .indefinite = change {
                draft = .encoded([0x9f] + items.flatMap { $0.encode() } + [0xff])
                return
            } else {
                change.apply(to: index, of: &items)
            }
            draft = .array(items)
        case .embedded(var content):
            apply(to: &content, path)
            draft = .embedded(content)
        case .tagged(let number, var content):
            apply(to: &content, path)
            draft = .tagged(number, content)
        default: change.apply(toLeaf: &draft)
        }
    }
}

extension TreeEdit.Change {
    init(_ script: inout ReissueScript) {
        switch script.number(below: 12) {
        case 0: self = .replace(ReissueValues.value(&script))
        case 1: self = .remove
        case 2: self = .duplicate
        case 3: self = .append(.text(script.pick(ReissueValues.names)), ReissueValues.value(&script))
        case 4: self = .null
        case 5: self = .reverse
        case 6: self = .swap
        case 7: self = .indefinite
        case 8: self = .wide
        case 9: self = .step(Int64(Int8(bitPattern: script.byte())))
        case 10: self = .letter(script.byte())
        default: self = .replace(.encoded(script.bytes()))
        }
    }

    fileprivate func apply(to index: Int, of members: inout [CBORDraft.Member]) {
        switch self {
        case .remove: members.remove(at: index)
        case .duplicate: members.insert(members[index], at: index)
        case .append(let key, let value): members.append(CBORDraft.Member(key: key, value: value))
        case .reverse: members.reverse()
        case .swap:
            let other = (index + 1) % members.count
            (members[index].value, members[other].value) = (members[other].value, members[index].value)
        default: apply(toLeaf: &members[index].value)
        }
    }

    fileprivate func apply(to index: Int, of items: inout [CBORDraft]) {
        switch self {
        case .remove: items.remove(at: index)
        case .duplicate: items.insert(items[index], at: index)
        case .append(_, let value): items.append(value)
        case .reverse: items.reverse()
        case .swap: items.swapAt(index, (index + 1) % items.count)
        default: apply(toLeaf: &items[index])
        }
    }

    fileprivate func apply(toLeaf draft: inout CBORDraft) {
        switch (self, draft) {
        case (.replace(let value), _): draft = value
        case (.null, _): draft = .null
        case (.wide, .integer(let value)) where (0...0xffff).contains(value):
            draft = .wideUnsigned(UInt16(value))
        case (.step(let step), .integer(let value)): draft = .integer(value &+ step)
        case (.letter(let byte), .text(let text)):
            draft = .text(byte < 0x20 ? String(text.dropLast()) : text + String(Unicode.Scalar(byte)))
        case (.letter(let byte), .bytes(let bytes)):
            draft = .bytes(byte < 0x20 ? bytes.dropLast() : bytes + [byte])
        case (.indefinite, .bytes): draft = .encoded([0x5f] + draft.encode() + [0xff])
        case (.indefinite, .text): draft = .encoded([0x7f] + draft.encode() + [0xff])
        default: break
        }
    }
}
