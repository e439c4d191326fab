/// What a schema file says about its declarations: the text of comments, without comment marks and directives.
package struct SchemaComments {
  private let comments: CommentAttachment

  package init(_ parsed: ParsedSchema) { comments = CommentAttachment(parsed) }

  /// The description of a record type, by its index in the file; empty without a comment.
  package func recordType(_ place: Int) -> String { CommentText.words(comments[.opening(place)]) }

  /// The description of a field, by the indexes of its type and of the field; empty without a comment.
  package func field(_ type: Int, _ place: Int) -> String { CommentText.words(comments[.field(type, place)]) }
}
