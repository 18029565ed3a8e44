internal import CSystemdBus
internal import Dispatch
internal import Glibc
internal import Transport

/// A reference to a D-Bus message of sd-bus. Used only on the bus's queue; any thread may release the last
/// reference.
@safe final class BusMessage: @unchecked Sendable {  // used on the bus's queue only, and released there
    let pointer: OpaquePointer
    private let queue: BusQueue

    /// Takes ownership of a reference to a message.
    init(owning pointer: OpaquePointer, on queue: BusQueue) {
        unsafe self.pointer = pointer
        self.queue = queue
    }

    /// Adds a reference to a message.
    init(sharing pointer: OpaquePointer, on queue: BusQueue) {
        unsafe self.pointer = unsafe sd_bus_message_ref(pointer)
        self.queue = queue
    }

    deinit {
        // sd-bus counts the references to a message and to its connection without a lock, so the queue must
        // release them.
        nonisolated(unsafe) let last = unsafe pointer
        queue.queue.async { unsafe sd_bus_message_unref(last) }
    }

    var path: String { unsafe Self.text(sd_bus_message_get_path(pointer)) }
    var interface: String { unsafe Self.text(sd_bus_message_get_interface(pointer)) }
    var member: String { unsafe Self.text(sd_bus_message_get_member(pointer)) }
    var sender: String { unsafe Self.text(sd_bus_message_get_sender(pointer)) }

    /// Returns the error if the message is an error answer to the method `call`; otherwise `nil`.
    func error(answering call: String) -> BusError? {
        guard let error = unsafe sd_bus_message_get_error(pointer) else { return nil }
        return unsafe BusError(
            PeerRefusal(
                call: call, name: Self.text(error.pointee.name), message: Self.text(error.pointee.message)))
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String {
        unsafe pointer.map { unsafe String(cString: $0) } ?? ""
    }
}

// MARK: - Writing

extension BusMessage {
    func append(_ values: [BusValue]) throws(BusError) {
        for value in values { try append(value) }
    }

    /// Appends one value. The letters are D-Bus's codes for types; sd-bus takes a boolean (`b`) as a C int.
    private func append(_ value: BusValue) throws(BusError) {
        switch value {
        case .boolean(let flag): try append("b", Int32(flag ? 1 : 0))
        case .byte(let value): try append("y", value)
        case .int16(let value): try append("n", value)
        case .uint16(let value): try append("q", value)
        case .int32(let value): try append("i", value)
        case .uint32(let value): try append("u", value)
        case .string(let text): try append("s", text)
        case .path(let text): try append("o", text)
        case .bytes(let bytes):
            let status = unsafe bytes.withUnsafeBytes {
                unsafe sd_bus_message_append_array(pointer, letter("y"), $0.baseAddress, $0.count)
            }
            try check(status)
        case .strings(let texts):
            try container("a", "s") { () throws(BusError) in for text in texts { try append("s", text) } }
        case .paths(let texts):
            try container("a", "o") { () throws(BusError) in for text in texts { try append("o", text) } }
        case .map(let members): try entries(members, key: "s", of: "v") { .variant($0) }
        case .interfaces(let interfaces): try entries(interfaces, key: "s", of: "a{sv}") { .map($0) }
        case .objects(let objects): try entries(objects, key: "o", of: "a{sa{sv}}") { .interfaces($0) }
        case .variant(let content):
            try container("v", content.signature) { () throws(BusError) in try append(content) }
        case .descriptor(let descriptor):
            // sd-bus sends a copy of the descriptor.
            try check(
                descriptor.withDescriptor { number in
                    var number = number
                    return unsafe sd_bus_message_append_basic(pointer, letter("h"), &number)
                })
        // A value of any other type can be received, but not sent.
        case .foreign: throw .malformed
        }
    }

    /// Appends a dictionary in the order of its keys. bluetoothd arranges the attributes of a service in the
    /// order of the objects, which must be the same each time (Q113).
    private func entries<Member>(
        _ members: [String: Member], key: Unicode.Scalar, of signature: String, _ value: (Member) -> BusValue
    ) throws(BusError) {
        let entry = String(key) + signature
        try container("a", "{\(entry)}") { () throws(BusError) in
            for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                try container("e", entry) { () throws(BusError) in
                    try append(key, name)
                    try append(value(member))
                }
            }
        }
    }

    private func append(_ type: Unicode.Scalar, _ text: String) throws(BusError) {
        try check(unsafe text.withCString { unsafe sd_bus_message_append_basic(pointer, letter(type), $0) })
    }

    private func append<Number: FixedWidthInteger>(
        _ type: Unicode.Scalar, _ number: Number
    ) throws(BusError) {
        var number = number
        try check(unsafe sd_bus_message_append_basic(pointer, letter(type), &number))
    }

    /// Appends a container and the contents that `body` appends to it.
    ///
    /// - Parameter type: `a` for an array, `v` for a variant, `e` for an entry of a dictionary.
    /// - Parameter contents: the signature of the contents.
    private func container(
        _ type: Unicode.Scalar, _ contents: String, _ body: () throws(BusError) -> Void
    ) throws(BusError) {
        try check(unsafe sd_bus_message_open_container(pointer, letter(type), contents))
        try body()
        try check(unsafe sd_bus_message_close_container(pointer))
    }
}

// MARK: - Reading

extension BusMessage {
    /// Reads all values of the message. Descriptors are copies, since the message closes its own descriptors.
    func values() throws(BusError) -> [BusValue] {
        var values: [BusValue] = []
        while let value = try next() { values.append(value) }
        return values
    }

    /// Reads the next value; `nil` at the end of the message or of the current container.
    private func next() throws(BusError) -> BusValue? {
        guard let (type, contents) = try peek() else { return nil }
        switch type {
        case "b": return .boolean(try number(type, Int32(0)) != 0)
        case "y": return .byte(try number(type, 0))
        case "n": return .int16(try number(type, 0))
        case "q": return .uint16(try number(type, 0))
        case "i": return .int32(try number(type, 0))
        case "u": return .uint32(try number(type, 0))
        case "s": return .string(try text(type))
        case "o": return .path(try text(type))
        case "h":
            // The copy gets a number of at least 3, so that it is no standard stream.
            let copy = fcntl(try number(type, Int32(-1)), F_DUPFD_CLOEXEC, 3)
            guard copy >= 0 else { throw .malformed }
            return .descriptor(BusDescriptor(owning: copy))
        case "v":
            return try inside(type, contents) { () throws(BusError) in
                guard let value = try next() else { throw BusError.malformed }
                return value
            }
        case "a": return try array(contents)
        default:
            try check(unsafe sd_bus_message_skip(pointer, String(type) + contents))
            return .foreign(String(type) + contents)
        }
    }

    /// Reads an array or dictionary. If its members have a signature that BlueZ does not use, the array is
    /// skipped and becomes `foreign`.
    ///
    /// - Parameter contents: The D-Bus signature of the members.
    private func array(_ contents: String) throws(BusError) -> BusValue {
        switch contents {
        case "y":
            var start: UnsafeRawPointer?
            var count = 0
            try check(unsafe sd_bus_message_read_array(pointer, letter("y"), &start, &count))
            return .bytes(unsafe Array(UnsafeRawBufferPointer(start: start, count: count)))
        case "s": return .strings(try texts(contents))
        case "o": return .paths(try texts(contents))
        case "{sv}": return .map(try map())
        case "{sa{sv}}": return .interfaces(try interfaces())
        case "{oa{sa{sv}}}":
            return .objects(
                try entries(contents) { () throws(BusError) in
                    guard try peek()?.type == "a" else { throw BusError.malformed }
                    return try interfaces()
                })
        default:
            try check(unsafe sd_bus_message_skip(pointer, "a" + contents))
            return .foreign("a" + contents)
        }
    }

    private func map() throws(BusError) -> [String: BusValue] {
        try entries("{sv}") { () throws(BusError) in
            guard let value = try next() else { throw BusError.malformed }
            return value
        }
    }

    private func interfaces() throws(BusError) -> BusInterfaces {
        try entries("{sa{sv}}") { () throws(BusError) in try map() }
    }

    private func texts(_ contents: String) throws(BusError) -> [String] {
        try inside("a", contents) { () throws(BusError) in
            var texts: [String] = []
            // The members are strings or paths, so `text` is never `nil`.
            while let value = try next() { texts.append(value.text ?? "") }
            return texts
        }
    }

    /// Reads a dictionary whose keys are strings or paths. Each value is read with `member`.
    private func entries<Member>(
        _ contents: String, _ member: () throws(BusError) -> Member
    ) throws(BusError) -> [String: Member] {
        try inside("a", contents) { () throws(BusError) in
            var members: [String: Member] = [:]
            while let (type, entry) = try peek() {
                try inside(type, entry) { () throws(BusError) in
                    guard let name = try next()?.text else { throw BusError.malformed }
                    members[name] = try member()
                }
            }
            return members
        }
    }

    /// Enters the next container, reads its contents with `body`, and leaves it.
    private func inside<Value>(
        _ type: Unicode.Scalar, _ contents: String, _ body: () throws(BusError) -> Value
    ) throws(BusError) -> Value {
        try check(unsafe sd_bus_message_enter_container(pointer, letter(type), contents))
        let value = try body()
        try check(unsafe sd_bus_message_exit_container(pointer))
        return value
    }

    /// Returns the type of the next value and, for a container, the signature of its contents. `nil` at the
    /// end of the message or of the current container.
    private func peek() throws(BusError) -> (type: Unicode.Scalar, contents: String)? {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        guard try check(unsafe sd_bus_message_peek_type(pointer, &type, &contents)) > 0 else { return nil }
        return (Unicode.Scalar(UInt8(bitPattern: type)), unsafe Self.text(contents))
    }

    /// Reads a number. The type of `initial` must be the C type that D-Bus's `type` stands for.
    private func number<Number: FixedWidthInteger>(
        _ type: Unicode.Scalar, _ initial: Number
    ) throws(BusError) -> Number {
        var number = initial
        try check(unsafe sd_bus_message_read_basic(pointer, letter(type), &number))
        return number
    }

    private func text(_ type: Unicode.Scalar) throws(BusError) -> String {
        var text: UnsafePointer<CChar>?
        try check(unsafe sd_bus_message_read_basic(pointer, letter(type), &text))
        return unsafe Self.text(text)
    }
}

private func letter(_ type: Unicode.Scalar) -> CChar {
    CChar(truncatingIfNeeded: type.value)
}

/// Returns the result of a call of sd-bus, or throws an error if the result is negative.
@discardableResult
private func check(_ status: Int32) throws(BusError) -> Int32 {
    guard status >= 0 else { throw BusError(code: status) }
    return status
}
