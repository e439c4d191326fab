import Foundation

/// Shell functions that make repositories whose configuration starts programs. Each program leaves a file in the
/// folder `markers`.
enum HostileRepository {
  /// What starts the programs.
  enum Trap: String, Sendable, CaseIterable {
    /// Drivers, hooks, pagers, aliases and monitors, some of them in an included file.
    case drivers
    /// A missing object, which git would fetch from a remote whose program is not git's.
    case missingObjects
  }

  static let functions = #"""
    set -e
    root=$PWD; mkdir -p markers tmp
    git config --global user.name t; git config --global user.email t@example.invalid
    git config --global init.defaultBranch main; git config --global protocol.file.allow always

    # traps KIND CONFIG: writes a configuration that starts programs, and the file that it includes.
    traps() {
      {
        printf '[core]\n\trepositoryformatversion = 1\n\tbare = false\n\tpager = touch %s/markers/pager\n' "$root"
        printf '\tsshCommand = touch %s/markers/ssh\n\thooksPath = %s/hooks\n' "$root" "$root"
        printf '[pager]\n\trev-parse = true\n\trev-list = true\n\tcat-file = true\n\tls-tree = true\n\tdiff = true\n'
        printf '[alias]\n\tcat-file = !touch %s/markers/alias\n\trev-parse = !touch %s/markers/alias\n' "$root" "$root"
        printf '\trev-list = !touch %s/markers/alias\n' "$root"
        printf '[gpg]\n\tprogram = touch %s/markers/gpg\n[credential]\n\thelper = !touch %s/markers/credential\n' "$root" "$root"
        printf '[diff]\n\texternal = touch %s/markers/external\n' "$root"
        if [ "$1" = drivers ]; then
          printf '[diff "x"]\n\tcommand = touch %s/markers/driver\n\ttextconv = touch %s/markers/textconv; cat\n' "$root" "$root"
          printf '[filter "x"]\n\tclean = touch %s/markers/clean; cat\n\tsmudge = touch %s/markers/smudge; cat\n' "$root" "$root"
          printf '[includeIf "gitdir:**"]\n\tpath = extra\n'
        else
          printf '[extensions]\n\tpartialClone = evil\n[remote "evil"]\n\turl = file://%s/nothing\n\tpromisor = true\n' "$root"
          printf '\tpartialclonefilter = blob:none\n\tuploadpack = touch %s/markers/fetch; false\n' "$root"
        fi
      } > "$2/config"
      printf '[core]\n\tfsmonitor = touch %s/markers/fsmonitor; false\n' "$root" > "$2/extra"
    }

    # plant KIND FOLDER: makes a folder a bare repository of ordinary files, which holds the folder's own files.
    plant() {
      git init -q --bare planted.tmp
      printf '*.json filter=x diff=x\n*.ckdb filter=x diff=x\n' > "$2/.gitattributes"
      GIT_DIR=planted.tmp GIT_WORK_TREE=$2 git add -A .
      GIT_DIR=planted.tmp GIT_WORK_TREE=$2 git commit -qm planted
      for name in HEAD index objects refs; do mv planted.tmp/$name "$2/$name"; done
      rm -rf planted.tmp
      traps "$1" "$2"
      printf '\n[core]\n\tworktree = .\n' >> "$2/config"
      [ "$1" = drivers ] || find "$2/objects" -type f -delete
      # Git keeps no empty folders.
      find "$2/objects" "$2/refs" -type d -empty -exec touch {}/.keep \;
    }

    hooks() {
      mkdir hooks
      for hook in post-index-change reference-transaction post-checkout pre-auto-gc; do
        printf '#!/bin/sh\ntouch %s/markers/hook\n' "$root" > hooks/$hook; chmod +x hooks/$hook
      done
    }

    """#
}

extension Tool {
  /// Runs lines after the functions of ``HostileRepository``.
  func make(_ lines: String) async throws -> Outcome {
    try await shell(HostileRepository.functions + lines)
  }

  /// The programs that ran.
  var markers: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: "\(directory)/markers").sorted()) ?? ["no folder"]
  }
}
