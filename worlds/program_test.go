package worlds

import (
	"path/filepath"
	"strings"
	"testing"
)

// Wrong programs are errors with place, value and rule. Folders are relative to the file that names them.
func TestPrograms(t *testing.T) {
	const head = "name = \"w\"\ninclude = [\"in-turn\"]\n"
	for text, want := range map[string]string{
		"[[program]]\nname = \"a\"":                   "program[0]: command: must be given",
		"[[program]]\ncommand = [\"a\"]":              "program[0]: name: must be given",
		"[[program]]\nname = \"a\"\ncommand = []":     "command = []: must",
		"[[program]]\nname = \"a\"\ncommand = [\"\"]": "w.toml:5:1: program[0]: command = [\"\"]: its first element names the program: must not be empty",
		"[[program]]\nname = \"a\"\n" +
			"command = \"a b\"": "must be an array",
		"[[program]]\nname = \"a\"\n" +
			"command = [\"a\\u0000\"]": "must not contain the character NUL",
		"[[program]]\nname = \"a\"\ncommand = [\"a\"]\nrobot = \"cyan9\"":                            "program[0]: robot = \"cyan9\": there is no such robot",
		"[[program]]\nname = \"a\"\ncommand = [\"a\"]\nenv = { \"A=B\" = \"\"}":                      "is no variable",
		"[[program]]\nname = \"a\"\ncommand = [\"a\"]\nat_exit = \"die\"":                            "at_exit = \"die\": must be one of fail, ignore, restart",
		"[[program]]\nname = \"a\"\ncommand = [\"a\"]\nwithin_s = 0":                                 "within_s = 0: must lie in (0, 3600]",
		"[[program]]\nname = \"a\"\ncommand = [\"a\"]\nwait_fro = {}":                                "did you mean wait_for?",
		"[[program]]\nname = \"a\"\ncommand = [\"a\"]\n[[program]]\nname = \"a\"\ncommand = [\"a\"]": "name = \"a\": already used",
	} {
		if _, err := Parse("w.toml", []byte(head+text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\ngives %v, want %s", text, err, want)
		}
	}
	w, err := Parse("some/where/w.toml", []byte(head+"[[program]]\nname = \"a\"\ncommand = "+
		"[\"a\"]\n[[program]]\nname = \"b\"\ncommand = [\"b\"]\nfolder = \"../c\""))
	if err != nil {
		t.Fatal(err)
	}
	if got := []string{w.Programs[0].Folder, w.Programs[1].Folder}; got[0] != filepath.Clean("some/where") ||
		got[1] != filepath.Clean("some/c") {
		t.Errorf("folders %q", got)
	}
}
