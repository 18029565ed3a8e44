internal import Glibc

/// A serial line: a USB CDC device, a serial chip, or a port of the computer.
///
/// The line is opened raw (8 data bits, no parity, 1 stop bit, no flow control), so that each byte arrives as
/// it was sent and no byte is sent back as an echo. Only one program can have it: flock(2) holds off the
/// programs of this project and those that use the same custom, TIOCEXCL holds off all others but root's.
///
/// The calls are for one thread. No call but `write` waits.
package struct SerialLine: ~Copyable, Sendable {
    /// The speeds that a line can have, in bits per second.
    package static let speeds = rates.map(\.speed)

    private static let rates: [(speed: Int, code: Int32)] = [
        (1200, B1200), (1800, B1800), (2400, B2400), (4800, B4800), (9600, B9600), (19_200, B19200),
        (38_400, B38400), (57_600, B57600), (115_200, B115200), (230_400, B230400), (460_800, B460800),
        (500_000, B500000), (576_000, B576000), (921_600, B921600),
    ]
    /// The time in which the system must accept the bytes of one `write`.
    private static let writeLimit = Duration.seconds(1)

    private let line: OwnedDescriptor

    /// Opens a line exclusively, and discards the bytes that arrived before.
    ///
    /// - Parameters:
    ///   - path: the path of the device, preferably below `/dev/serial/by-id`.
    ///   - speed: the speed in bits per second, one of `speeds`.
    /// - Throws: `misconfigured` for an unknown speed, a speed that the line does not have, or a path of
    ///   something else; `busy` if another program has the line.
    package init(path: String, speed: Int) throws(DeviceFault) {
        guard let rate = Self.rates.first(where: { $0.speed == speed }) else {
            throw .misconfigured(
                "a serial line has no speed of \(speed) bits per second; use 9600 or 115200, for example")
        }
        let line = try OwnedDescriptor.device(path, O_RDWR)
        guard isatty(line.raw) == 1 else {
            // A terminal that is gone is none either, but EIO tells it from another device.
            throw errno == EIO ? .absent : .misconfigured("the device is not a serial line")
        }
        guard flock(line.raw, LOCK_EX | LOCK_NB) == 0 else {
            throw errno == EWOULDBLOCK ? .busy : DeviceFault(errno: errno)
        }
        try Self.configure(line.raw, speedCode: speed_t(rate.code))
        guard ioctl(line.raw, UInt(TIOCEXCL)) == 0 else { throw DeviceFault(errno: errno) }
        // Bytes from before the raw mode may have been changed by the terminal's line editing, and a code
        // that was scanned before the program was ready is not a code of the person who stands there now.
        guard tcflush(line.raw, TCIOFLUSH) == 0 else { throw DeviceFault(errno: errno) }
        self.line = line
    }

    deinit {
        // The kernel forgets TIOCEXCL only with the terminal. A pseudoterminal lives on with its other side,
        // and could not be opened again.
        _ = ioctl(line.raw, UInt(TIOCNXCL))
    }

    /// The descriptor for a `WaitSet`, valid as long as this value exists.
    package var descriptor: Int32 { line.raw }

    /// Reads the bytes that have arrived.
    ///
    /// - Returns: at most `count` bytes; none if nothing has arrived yet.
    /// - Throws: `absent` if the device was unplugged or the other side has hung up.
    package func read(upTo count: Int = 4096) throws(DeviceFault) -> [UInt8] {
        switch try line.read(upTo: count) {
        case .bytes(let bytes): bytes
        case .nothing: []
        case .end: throw .absent
        }
    }

    /// Writes all bytes, and waits at most 1 s for room. The bytes may still be in the system's buffer
    /// afterwards.
    ///
    /// - Throws: `notAnswering` if not all bytes were accepted in time; `absent` if the device was unplugged.
    package func write(_ bytes: [UInt8]) throws(DeviceFault) {
        try line.write(bytes, within: Self.writeLimit)
    }

    private static func configure(_ line: Int32, speedCode: speed_t) throws(DeviceFault) {
        var settings = termios()
        guard unsafe tcgetattr(line, &settings) == 0 else { throw DeviceFault(errno: errno) }
        unsafe cfmakeraw(&settings)
        settings.c_cflag &= ~tcflag_t(CSTOPB | PARENB) & ~tcflag_t(CRTSCTS)
        settings.c_cflag |= tcflag_t(CLOCAL | CREAD)
        guard unsafe cfsetispeed(&settings, speedCode) == 0, unsafe cfsetospeed(&settings, speedCode) == 0,
            unsafe tcsetattr(line, TCSANOW, &settings) == 0
        else { throw DeviceFault(errno: errno) }
        // tcsetattr(3) succeeds if it could make any of the changes. Only a second look tells whether it made
        // all.
        guard unsafe tcgetattr(line, &settings) == 0 else { throw DeviceFault(errno: errno) }
        guard settings.c_lflag & tcflag_t(ECHO | ICANON | ISIG) == 0,
            settings.c_iflag & tcflag_t(ICRNL | IXON) == 0
        else {
            throw .misconfigured("the serial line has no raw mode")
        }
        guard unsafe cfgetospeed(&settings) == speedCode else {
            throw .misconfigured("the serial line does not have the speed of the configuration file")
        }
    }
}
