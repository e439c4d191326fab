-- Opens a schema with a mistake in Neovim, sees it, fixes it by the server's action, formats, saves and colors it.
local binary, file = vim.env.CELESTRA_ADMIN_BINARY, vim.env.SCHEMA_FILE

local function check(condition, message)
  if not condition then
    io.stderr:write("neovim: " .. message .. "\n")
    vim.cmd("cquit 1")
  end
end

local function errors()
  return vim.diagnostic.get(0, { severity = vim.diagnostic.severity.ERROR })
end

vim.opt.swapfile = false
vim.cmd("edit " .. vim.fn.fnameescape(file))
local id = vim.lsp.start_client({ name = "celestra", cmd = { binary, "lsp" }, root_dir = vim.fn.fnamemodify(file, ":h") })
vim.lsp.buf_attach_client(0, id)
check(vim.wait(20000, function() return #errors() > 0 end, 20), "no finding appeared")
local finding = errors()[1]
check(finding.lnum == 2 and finding.message:find("SORTABEL"), "the finding is another: " .. vim.inspect(finding))

vim.api.nvim_win_set_cursor(0, { finding.lnum + 1, finding.col })
local hover = vim.lsp.buf_request_sync(0, "textDocument/hover", { textDocument = { uri = vim.uri_from_bufnr(0) }, position = { line = 2, character = 12 } }, 20000)
check(vim.inspect(hover):find("Text"), "hover says nothing about STRING: " .. vim.inspect(hover))

local range = vim.lsp.util.make_range_params()
range.context = { diagnostics = {} }
local answers = vim.lsp.buf_request_sync(0, "textDocument/codeAction", range, 20000)
local action = answers and answers[id] and answers[id].result and answers[id].result[1]
check(action, "no action fixes the mistake: " .. vim.inspect(answers))
vim.lsp.util.apply_workspace_edit(action.edit, "utf-16")
check(vim.wait(20000, function() return #errors() == 0 end, 20), "the mistake is still shown")
if vim.lsp.buf.format then vim.lsp.buf.format({ timeout_ms = 20000 }) else vim.lsp.buf.formatting_sync(nil, 20000) end
vim.cmd("write")

-- The colors for Vim without a language server, on the same text.
vim.cmd("syntax on")
vim.cmd("source " .. vim.fn.fnameescape(vim.env.SYNTAX_FILE))
for word, kind in pairs({ ["RECORD"] = "ckdbKeyword", ["STRING"] = "ckdbType", ["SORTABLE"] = "ckdbOption", ["___recordID"] = "ckdbName", ["title"] = "" }) do
  local line, column = unpack(vim.fn.searchpos("\\<" .. word .. "\\>", "nw"))
  local found = vim.fn.synIDattr(vim.fn.synID(line, column, 1), "name")
  check(found == kind, word .. " has the color " .. found .. ", not " .. kind)
end
vim.cmd("quitall")
