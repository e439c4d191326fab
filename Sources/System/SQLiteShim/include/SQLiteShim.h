#ifndef SQLITE_SHIM_H
#define SQLITE_SHIM_H

struct sqlite3;

/// Stops SQLite's memory statistics, whose lock all connections wait for at each allocation. Has no effect after the
/// process has used SQLite. sqlite3_config is variadic, which Swift cannot call.
void SQLiteShim_doNotCountMemory(void);

/// Makes the default file system of SQLite refuse super-journals. A rollback journal beside a database can name any file
/// as its super-journal, and SQLite deletes that file when it rolls the journal back. Only a transaction on several
/// database files has one. Returns an SQLite result code.
int SQLiteShim_refuseSuperJournals(void);

/// Limits what a connection does for a hostile file or statement. sqlite3_db_config is variadic, which Swift cannot
/// call. Returns an SQLite result code.
int SQLiteShim_harden(struct sqlite3 *connection);

/// How many other databases may be attached; SQLite's own VACUUM INTO needs one.
void SQLiteShim_allowAttached(struct sqlite3 *connection, int count);

#endif
