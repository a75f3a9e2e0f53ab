package main

import "runtime/debug"

// version returns the version of the module. If omnipitch was built from a checkout, the text includes the revision.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "omnipitch of no known version: built without modules"
	}
	return versionOf(info)
}

func versionOf(info *debug.BuildInfo) string {
	text := "omnipitch " + info.Main.Version
	set := map[string]string{}
	for _, s := range info.Settings {
		set[s.Key] = s.Value
	}
	revision := set["vcs.revision"]
	if revision == "" {
		return text
	}
	text += ", revision " + revision
	if set["vcs.time"] != "" {
		text += " of " + set["vcs.time"]
	}
	if set["vcs.modified"] == "true" {
		text += ", changed since"
	}
	return text
}
