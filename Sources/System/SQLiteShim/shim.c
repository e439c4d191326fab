#include "SQLiteShim.h"

#include <sqlite3.h>

void SQLiteShim_doNotCountMemory(void) {
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

static int (*openFile)(sqlite3_vfs *, sqlite3_filename, sqlite3_file *, int, int *);

static int openUnlessSuperJournal(
    sqlite3_vfs *system, sqlite3_filename name, sqlite3_file *file, int flags, int *outFlags) {
  if (flags & SQLITE_OPEN_SUPER_JOURNAL) {
    // Without methods there is nothing for SQLite to close.
    file->pMethods = 0;
    return SQLITE_CANTOPEN;
  }
  return openFile(system, name, file, flags, outFlags);
}

int SQLiteShim_refuseSuperJournals(void) {
  static sqlite3_vfs refusing;
  sqlite3_vfs *system = sqlite3_vfs_find(0);
  if (!system) return SQLITE_ERROR;
  if (system == &refusing) return SQLITE_OK;
  openFile = system->xOpen;
  refusing = *system;
  refusing.zName = "no-super-journals";
  refusing.xOpen = openUnlessSuperJournal;
  return sqlite3_vfs_register(&refusing, 1);
}

void SQLiteShim_allowAttached(sqlite3 *connection, int count) {
  sqlite3_limit(connection, SQLITE_LIMIT_ATTACHED, count);
}

int SQLiteShim_harden(sqlite3 *connection) {
  SQLiteShim_allowAttached(connection, 0);
  int code = sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
  if (code != SQLITE_OK) return code;
  return sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
}
