/// A key that a template can press besides characters.
package enum TypedKey: Hashable, Sendable {
    case tab, enter
    /// A function key, from 1 to 24.
    case function(Int)
}

/// A piece of an output that is typed.
package enum TypedPiece: Equatable, Sendable {
    /// Characters of printable ASCII, never empty.
    case text(String)
    case key(TypedKey)
    /// A pause before the next piece.
    case wait(Duration)
}

/// A piece of an output that is sent on a serial line.
package enum LinePiece: Equatable, Sendable {
    /// Bytes, never empty.
    case bytes([UInt8])
    /// A pause before the next piece.
    case wait(Duration)
}
