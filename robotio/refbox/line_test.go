package refbox

import (
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/physics"
)

func TestLines(t *testing.T) {
	for _, c := range []struct {
		line    string
		command Command
		team    physics.Team
		robot   int
		err     string
	}{
		{"START", "START", "", -1, ""},
		{"  kickoff  Cyan ", "KICKOFF", physics.Cyan, -1, ""},
		{"IS_ALIVE magenta 4", IsAlive, physics.Magenta, 4, ""},
		{"RED_CARD magenta", "RED_CARD", physics.Magenta, -1, ""},
		{"", "", "", -1, `"": must be a command`},
		{"DANCE", "", "", -1, `"DANCE": must be one of CORNER, DOUBLE_YELLOW, `},
		{"KICKOFF", "", "", -1, "KICKOFF: must be followed by cyan or magenta"},
		{"KICKOFF red", "", "", -1, "KICKOFF: must be followed by cyan or magenta"},
		{"KICKOFF cyan 3", "", "", -1, `KICKOFF: nothing may follow, as "3" does`},
		{"START cyan", "", "", -1, `START: nothing may follow, as "cyan" does`},
		{"REPAIR cyan x", "", "", -1, `REPAIR cyan "x": must be a robot's number`},
	} {
		command, team, robot, err := ParseLine(c.line)
		number := -1
		if robot != nil {
			number = *robot
		}
		if c.err != "" {
			if err == nil || !strings.HasPrefix(err.Error(), c.err) {
				t.Errorf("%q: %v, want %s", c.line, err, c.err)
			}
		} else if err != nil || command != c.command || team != c.team || number != c.robot {
			t.Errorf("%q: %s %s %d, %v, want %s %s %d", c.line, command, team, number, err, c.command, c.team, c.robot)
		}
	}
}

func TestAddrs(t *testing.T) {
	for text, want := range map[string]string{
		"172.16.1.2": "172.16.1.2:28097", "box.local:4000": "box.local:4000", "4000": "127.0.0.1:4000",
		"0": "127.0.0.1:0", "::1": "[::1]:28097", "[::1]:80": "[::1]:80", "localhost": "localhost:28097",
		"": "", ":80": "", "a:b": "", "a:99999": "", "a b": "", "http://a": "", "a:1:2": "",
	} {
		if got, err := ParseAddr(text); got != want || (err == nil) != (want != "") {
			t.Errorf("%q is %q, %v, want %q", text, got, err, want)
		}
	}
}
