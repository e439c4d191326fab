/// The types and functions that all generated TypeScript files use.
enum TypeScriptSupport {
  static let text = ##"""
    /** A field as CloudKit Web Services and CloudKit JS write it. */
    export interface StoredField {
      type?: string;
      value: unknown;
    }

    /** A record as CloudKit Web Services, CloudKit JS and `celestra-admin records export` write it. */
    export interface StoredRecord {
      recordType: string;
      recordName: string;
      fields: { [name: string]: StoredField | undefined };
    }

    /** The name of a record of one type. */
    export type RecordName<Type extends string> = string & { readonly __recordType: Type };

    export function recordName<Type extends string>(name: string): RecordName<Type> {
      return name as RecordName<Type>;
    }

    export type ReferenceAction = "NONE" | "DELETE_SELF" | "VALIDATE";

    /** A reference to a record of one type; `string` if the schema does not say which. */
    export interface Reference<Type extends string> {
      recordName: RecordName<Type>;
      action: ReferenceAction;
    }

    export interface Location {
      latitude: number;
      longitude: number;
    }

    export interface Asset {
      fileChecksum?: string;
      size?: number;
      downloadURL?: string;
    }

    /** The changes of some fields: a value sets a field, null clears it, and a field that is left out stays as it is. */
    export type Update<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> | null };

    /** Why a record cannot be read. */
    export class RecordError extends Error {}

    /** How the values of a field are read and written. */
    export interface FieldKind<Value> {
      readonly typeName: string;
      /** The name of the field, where a property cannot have it. */
      readonly fieldName?: string;
      /** undefined for a value of another type. */
      read(value: unknown): Value | undefined;
      write(value: Value): unknown;
    }

    export type FieldKinds<Fields> = { readonly [Name in keyof Fields]-?: FieldKind<Exclude<Fields[Name], undefined>> };

    /** A field whose name a property cannot have, such as `constructor`. */
    export function named<Value>(fieldName: string, kind: FieldKind<Value>): FieldKind<Value> {
      return { ...kind, fieldName };
    }

    function plain<Value>(typeName: string, isOne: (value: unknown) => value is Value): FieldKind<Value> {
      return { typeName, read: (value) => (isOne(value) ? value : undefined), write: (value) => value };
    }

    function isObject(value: unknown): value is { [name: string]: unknown } {
      return typeof value === "object" && value !== null;
    }

    export const text = plain("STRING", (value): value is string => typeof value === "string");
    /** Exact up to 2^53. */
    export const int64 = plain("INT64", (value): value is number => typeof value === "number" && Number.isInteger(value));
    export const double = plain("DOUBLE", (value): value is number => typeof value === "number");
    /** In base64. */
    export const bytes = plain("BYTES", (value): value is string => typeof value === "string");
    export const location = plain(
      "LOCATION",
      (value): value is Location =>
        isObject(value) && typeof value["latitude"] === "number" && typeof value["longitude"] === "number",
    );
    export const asset = plain("ASSETID", (value): value is Asset => isObject(value));
    export const timestamp: FieldKind<Date> = {
      typeName: "TIMESTAMP",
      read: (value) => (typeof value === "number" ? new Date(value) : undefined),
      write: (value) => value.getTime(),
    };

    /** The name of a record, in a text field. */
    export function nameOf<Type extends string>(): FieldKind<RecordName<Type>> {
      return {
        typeName: "STRING",
        read: (value) => (typeof value === "string" ? recordName<Type>(value) : undefined),
        write: (value) => value,
      };
    }

    export function referenceTo<Type extends string>(): FieldKind<Reference<Type>> {
      return {
        typeName: "REFERENCE",
        read(value) {
          if (!isObject(value) || typeof value["recordName"] !== "string") return undefined;
          const action = value["action"];
          return {
            recordName: recordName<Type>(value["recordName"]),
            action: action === "DELETE_SELF" || action === "VALIDATE" ? action : "NONE",
          };
        },
        write: (value) => ({ recordName: value.recordName, action: value.action }),
      };
    }

    export function listOf<Value>(element: FieldKind<Value>): FieldKind<Value[]> {
      return {
        typeName: `${element.typeName}_LIST`,
        read(value) {
          if (!Array.isArray(value)) return undefined;
          const list: Value[] = [];
          for (const item of value) {
            const read = element.read(item);
            if (read === undefined) return undefined;
            list.push(read);
          }
          return list;
        },
        write: (value) => value.map((item) => element.write(item)),
      };
    }

    /** Whether a field of the stored type can hold values of the expected one; an empty list has no type of its own. */
    function fits(stored: string | undefined, expected: string): boolean {
      return stored === undefined || stored === expected || (stored === "UNKNOWN_LIST" && expected.endsWith("_LIST"))
        || stored === "ASSET" && expected === "ASSETID";
    }

    /** Throws RecordError for a record of another type, and for a field whose value has another type. */
    export function decode<Fields extends object>(
      recordType: string, kinds: FieldKinds<Fields>, record: StoredRecord,
    ): Fields {
      if (record.recordType !== recordType) {
        throw new RecordError(`expected a record of type ${recordType}, found ${record.recordType}`);
      }
      const fields: Partial<Fields> = {};
      for (const name of Object.keys(kinds) as (keyof Fields & string)[]) {
        const kind = kinds[name];
        const field = kind.fieldName ?? name;
        const stored = Object.prototype.hasOwnProperty.call(record.fields, field) ? record.fields[field] : undefined;
        if (stored === undefined || stored.value === null || stored.value === undefined) continue;
        const value = fits(stored.type, kind.typeName) ? kind.read(stored.value) : undefined;
        if (value === undefined) {
          throw new RecordError(
            `the field ${recordType}.${field} has the type ${stored.type ?? typeof stored.value}, expected ${kind.typeName}`,
          );
        }
        fields[name] = value as Fields[keyof Fields & string];
      }
      return fields as Fields;
    }

    /** The fields of an update, as a request to modify a record sends them; a cleared field has the value null. */
    export function encodeUpdate<Fields extends object>(
      kinds: FieldKinds<Fields>, update: Update<Fields>,
    ): { [name: string]: StoredField } {
      const fields: { [name: string]: StoredField } = {};
      for (const name of Object.keys(kinds) as (keyof Fields & string)[]) {
        const value = update[name];
        if (value === undefined) continue;
        const kind = kinds[name];
        fields[kind.fieldName ?? name] = value === null
          ? { value: null }
          : { type: kind.typeName, value: kind.write(value as Exclude<Fields[keyof Fields & string], undefined>) };
      }
      return fields;
    }

    export type Index = "QUERYABLE" | "SORTABLE" | "SEARCHABLE";

    /** A field in a query, with its indexes: filters that need another index do not compile. */
    export interface QueryField<Type extends string, Value, Has extends Index> {
      readonly fieldName: string;
      readonly kind: FieldKind<Value>;
      readonly indexes: { readonly [Each in Has]: true };
      readonly recordType: Type;
    }

    export interface Filter<Type extends string> {
      readonly recordType: Type;
      readonly fieldName: string;
      readonly comparator: string;
      readonly fieldValue: StoredField;
    }

    export interface Sort<Type extends string> {
      readonly recordType: Type;
      readonly fieldName: string;
      readonly ascending: boolean;
    }

    type Queryable<Type extends string, Value> = QueryField<Type, Value, "QUERYABLE">;

    function filter<Type extends string, Value>(
      field: { readonly recordType: Type; readonly fieldName: string }, comparator: string, kind: FieldKind<Value>,
      value: Value,
    ): Filter<Type> {
      return {
        recordType: field.recordType, fieldName: field.fieldName, comparator,
        fieldValue: { type: kind.typeName, value: kind.write(value) },
      };
    }

    /** The field needs a QUERYABLE index. */
    export function equals<Type extends string, Value>(field: Queryable<Type, Value>, value: Value): Filter<Type> {
      return filter(field, "EQUALS", field.kind, value);
    }

    /** The field needs a QUERYABLE index. */
    export function notEquals<Type extends string, Value>(field: Queryable<Type, Value>, value: Value): Filter<Type> {
      return filter(field, "NOT_EQUALS", field.kind, value);
    }

    /** The field needs a QUERYABLE index. */
    export function lessThan<Type extends string, Value>(field: Queryable<Type, Value>, value: Value): Filter<Type> {
      return filter(field, "LESS_THAN", field.kind, value);
    }

    /** The field needs a QUERYABLE index. */
    export function greaterThan<Type extends string, Value>(field: Queryable<Type, Value>, value: Value): Filter<Type> {
      return filter(field, "GREATER_THAN", field.kind, value);
    }

    /** The field needs a QUERYABLE index. */
    export function isAnyOf<Type extends string, Value>(field: Queryable<Type, Value>, values: Value[]): Filter<Type> {
      return filter(field, "IN", listOf(field.kind), values);
    }

    /** The field needs a SEARCHABLE index. */
    export function containsAllWords<Type extends string, Value>(
      field: QueryField<Type, Value, "SEARCHABLE">, words: string,
    ): Filter<Type> {
      return filter(field, "CONTAINS_ALL_TOKENS", text, words);
    }

    /** The field needs a SORTABLE index. */
    export function sortBy<Type extends string, Value>(
      field: QueryField<Type, Value, "SORTABLE">, ascending = true,
    ): Sort<Type> {
      return { recordType: field.recordType, fieldName: field.fieldName, ascending };
    }
    """##
}
