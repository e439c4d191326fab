#include "SQLiteShim.h"

#include <sqlite3.h>

void SQLiteShim_doNotCountMemory(void) {
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
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
