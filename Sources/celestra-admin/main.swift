import AdminCommands

await AdminTool.main()
