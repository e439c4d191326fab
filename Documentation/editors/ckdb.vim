" Vim syntax of CloudKit schemas (.ckdb), made from the words of the language.
if exists("b:current_syntax")
  finish
endif
syntax case ignore
syntax keyword ckdbKeyword DEFINE SCHEMA CREATE ROLE RECORD TYPE GRANT TO READ WRITE PREFERRED AS
syntax keyword ckdbType LIST ENCRYPTED NUMBER ASSET REFERENCE BYTES STRING DOUBLE INT64 LOCATION TIMESTAMP
syntax keyword ckdbOption QUERYABLE SEARCHABLE SORTABLE
syntax region ckdbName start=/"/ end=/"/ oneline
syntax match ckdbComment ,\(//\|--\).*$,
syntax region ckdbComment start=,/\*, end=,\*/,
highlight default link ckdbKeyword Keyword
highlight default link ckdbType Type
highlight default link ckdbOption Special
highlight default link ckdbName String
highlight default link ckdbComment Comment
let b:current_syntax = "ckdb"
