package import MdocModel
package import WalletPresentation

/// The nonces of several servers in one PostgreSQL database. A nonce that one server issued can be spent at
/// another, and only once.
package actor PostgreSQLNonces: NonceStore {
    private let terms: NonceTerms
    private let pool: PostgreSQLPool
    private let time: MonotonicTime
    /// The number of nonces in the database, as counted by this server. The next sweep also counts the nonces
    /// that other servers have issued.
    private var count = NonceCount()

    /// Stores the settings. The first connection is made when the first nonce is needed.
    ///
    /// - Parameter settings: the connection string of libpq, such as `host=/run/postgresql dbname=shop`.
    package init(
        _ settings: String, _ terms: NonceTerms = NonceTerms(), time: MonotonicTime = MonotonicTime()
    ) {
        self.terms = terms
        self.time = time
        pool = PostgreSQLPool(settings, NonceTables.schema)
    }

    package func issue(
        _ nonce: PresentationNonce, to session: SessionBinding, for channel: PresentationChannel,
        asked: [UInt8],
        at now: Timestamp
    ) async throws(NonceStoreError) -> IssuedNonce {
        guard asked.count <= NonceTerms.longestAsked else { throw .askedTooLong }
        let now = time.time(at: now)
        if count.isSweepDue(at: now) { try await sweep(at: now) }
        try count.add(upTo: terms.capacity)
        let issued = IssuedNonce(
            nonce, to: session, for: channel, expires: now.advanced(bySeconds: terms.lifetime))
        let rows = try await pool.nonceRows(
            NonceTables.insert,
            [
                nonce.bytes, session.digest, Array(channel.rawValue.utf8), issued.expires.bytes, asked,
            ])
        // The statement returns no row if the table has the nonce already.
        guard rows.count == 1 else { throw .refused(.issuedBefore) }
        return issued
    }

    package nonisolated func spend(
        _ nonce: PresentationNonce, by session: SessionBinding, over channel: PresentationChannel,
        at now: Timestamp
    ) async throws(NonceStoreError) -> SpentRequest {
        let now = time.time(at: now)
        let spent = try await pool.nonceRows(
            NonceTables.spend,
            [
                nonce.bytes, session.digest, Array(channel.rawValue.utf8), now.bytes,
                NonceTerms.latestExpiry(at: now).bytes,
            ])
        if let row = spent.first {
            // The columns are `session`, `channel` and `expires`, as in `IssuedNonce.init`, and then `asked`.
            guard row.count == 4, let asked = row[3] else { throw .failed(code: "row") }
            return try NonceUse(issued: IssuedNonce(nonce, row), asked: asked, isFirstUse: true)
                .spent(by: session, over: channel, at: now)
        }
        // The update found no unspent nonce that fits. If the nonce has a row, `spent` below always throws,
        // because `isFirstUse` is false.
        guard let row = try await pool.nonceRows(NonceTables.read, [nonce.bytes]).first else {
            throw .refused(.unknown)
        }
        return try NonceUse(issued: IssuedNonce(nonce, row), asked: [], isFirstUse: false)
            .spent(by: session, over: channel, at: now)
    }

    /// Deletes nonces that expired a lifetime ago and nonces with an impossibly late expiry, and counts the
    /// remaining nonces.
    private func sweep(at now: Timestamp) async throws(NonceStoreError) {
        count.beginSweep(at: now)
        do throws(NonceStoreError) {
            let row = try await pool.nonceRows(
                NonceTables.sweep,
                [now.advanced(bySeconds: -terms.lifetime).bytes, NonceTerms.latestExpiry(at: now).bytes]
            ).first
            // The row may be missing, and its column may be null.
            guard let left = row?.first??.bigint else { throw .failed(code: "row") }
            count.endSweep(leaving: Int(left))
        } catch {
            count.failSweep()
            throw error
        }
    }
}

extension Timestamp {
    /// The seconds since 1970 in PostgreSQL's binary form of a bigint.
    fileprivate var bytes: [UInt8] { secondsSince1970.postgreSQL }
}

extension PostgreSQLPool {
    /// Returns the rows of a statement. Translates the pool's errors to errors of a nonce store.
    fileprivate nonisolated func nonceRows(
        _ statement: String, _ values: [[UInt8]]
    ) async throws(NonceStoreError) -> [[[UInt8]?]] {
        do throws(PostgreSQLError) {
            return try await rows(statement, values)
        } catch {
            switch error {
            case .overloaded: throw .overloaded
            case .libraryMissing: throw .libraryMissing
            case .unreachable: throw .unreachable
            case .overdue: throw .overdue
            case .failed(let code): throw .failed(code: code)
            // The table of nonces has no version and no random column. The errors `tablesNewer`,
            // `versionMissing` and `withoutRandom` therefore do not occur here.
            case .rowMalformed, .tablesNewer, .versionMissing, .withoutRandom: throw .failed(code: "row")
            }
        }
    }
}

extension IssuedNonce {
    /// Reads the columns session, channel and expires, in this order.
    fileprivate init(_ nonce: PresentationNonce, _ row: [[UInt8]?]) throws(NonceStoreError) {
        guard row.count >= 3, let digest = row[0], let session = SessionBinding(stored: digest),
            let name = row[1],
            let channel = PresentationChannel(rawValue: String(decoding: name, as: UTF8.self)),
            let expires = row[2]?.bigint.flatMap(Timestamp.init(received:))
        else { throw .failed(code: "row") }
        self.init(nonce, to: session, for: channel, expires: expires)
    }
}
