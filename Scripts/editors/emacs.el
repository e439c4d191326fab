;;; Opens a schema with a mistake in Emacs (eglot), sees it, fixes it by the server's action, formats and saves.  -*- lexical-binding: t -*-
(require 'eglot)
(require 'cl-lib)
(define-derived-mode ckdb-mode prog-mode "ckdb")

(defun check (condition message)
  (unless condition
    (message "emacs: %s" message)
    (kill-emacs 1)))

(defun wait-for (condition)
  "Wait until CONDITION returns non-nil, at most 20 seconds."
  (let ((end (+ (float-time) 20)) result)
    (while (and (not (setq result (funcall condition))) (< (float-time) end))
      (accept-process-output nil 0.05))
    result))

(defun errors ()
  (flymake-start)
  (cl-remove-if-not (lambda (finding) (eq (flymake-diagnostic-type finding) 'eglot-error)) (flymake-diagnostics)))

(let ((make-backup-files nil) (eglot-sync-connect t) (file (getenv "SCHEMA_FILE")))
  (find-file file)
  (ckdb-mode)
  (add-to-list 'eglot-server-programs (list 'ckdb-mode (getenv "CELESTRA_ADMIN_BINARY") "lsp"))
  (apply #'eglot--connect (eglot--guess-contact))
  (check (wait-for #'errors) "no finding appeared")
  (let ((finding (car (errors))))
    (check (string-match-p "SORTABEL" (flymake-diagnostic-text finding)) "the finding is another")
    (let ((action (car (append (eglot-code-actions (flymake-diagnostic-beg finding) (flymake-diagnostic-end finding)) nil))))
      (check action "no action fixes the mistake")
      (eglot--apply-workspace-edit (plist-get action :edit))
      ;; Eglot sends changes when a person pauses; there is no person here.
      (eglot--signal-textDocument/didChange)))
  (check (wait-for (lambda () (not (errors)))) "the mistake is still shown")
  (eglot-format-buffer)
  (save-buffer)
  (eglot-shutdown (eglot-current-server)))
