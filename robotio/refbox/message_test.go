package refbox

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

func number(n int) *int { return &n }

// The box's own messages can be parsed, and encoded messages can be parsed again.
func TestMessages(t *testing.T) {
	for _, c := range []struct {
		text    string
		want    Message
		unknown []string
		err     string
	}{
		{`{"command":"START","targetTeam":""}`, Message{Command: "START"}, nil, ""},
		{`{"targetTeam": "224.16.32.53:1", "command": "KICKOFF"}`, Message{Command: "KICKOFF",
			TargetTeam: "224.16.32.53:1"}, nil, ""},
		{`{"command":"IS_ALIVE","targetTeam":"224.16.32.53","robotID":3}`, Message{IsAlive, "224.16.32.53", number(3)},
			nil, ""},
		{`{"command":"DANCE","targetTeam":"","tempo":3,"bars":[]}`, Message{Command: "DANCE"},
			[]string{"bars", "tempo"}, ""},
		{`{"command":"é","targetTeam":""}`, Message{Command: "é"}, nil, ""},
		{`{"Command":"START","targetTeam":""}`, Message{}, nil, "command is missing"},
		{`{"command":"START"}`, Message{}, nil, "targetTeam is missing"},
		{`{"command":7,"targetTeam":null}`, Message{}, nil, "command = 7: must be a text\ntargetTeam = null: must be " +
			"a text"},
		{`{"command":"REPAIR","targetTeam":"a","robotID":1.5}`, Message{}, nil,
			"robotID = 1.5: must be a whole number"},
		{`["command"]`, Message{}, nil, "must be a JSON object"},
		{`null`, Message{}, nil, "must be a JSON object"},
		{`{"command":"START","targetTeam":""}}`, Message{}, nil, "must be a JSON object"},
		{"{\"command\":\"\xff\",\"targetTeam\":\"\"}", Message{}, nil, "must be UTF-8"},
		{`S`, Message{}, nil, "must be a JSON object"}, // as boxes before 2020 wrote
	} {
		got, unknown, err := ParseMessage([]byte(c.text))
		if c.err != "" {
			if err == nil || err.Error() != c.err {
				t.Errorf("%s: %v, want %s", c.text, err, c.err)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(got, c.want) || !reflect.DeepEqual(unknown, c.unknown) {
			t.Errorf("%s: %+v, %q, %v, want %+v, %q", c.text, got, unknown, err, c.want, c.unknown)
		}
	}
	must.Equal(t, string(Message{"SUBSTITUTION", "224.16.32.53", number(0)}.Append(nil)),
		`{"command":"SUBSTITUTION","targetTeam":"224.16.32.53","robotID":0}`+"\x00", "")
}

// Any text is parsed or refused, and a parsed message encodes to text that parses to the same message.
func FuzzMessage(f *testing.F) {
	for _, seed := range []string{`{"command":"START","targetTeam":""}`,
		`{"command":"IS_ALIVE","targetTeam":"224.16.32.53:1","robotID":3}`, `{"a":{"b":[1e999]}}`, "\xef\xbb\xbf{}",
		"{\"command\":\"\\u0000\\ud800\",\"targetTeam\":\"\"}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, _, err := ParseMessage(text)
		if err != nil {
			return
		}
		again := m.Append(nil)
		if n := bytes.IndexByte(again, 0); n != len(again)-1 {
			t.Fatalf("%q: NUL byte at %d of %d", again, n, len(again))
		}
		same, unknown, err := ParseMessage(again[:len(again)-1])
		if err != nil || !reflect.DeepEqual(same, m) || len(unknown) > 0 {
			t.Errorf("%q: %+v, %q, %v, want %+v", again, same, unknown, err, m)
		}
	})
}

// Every command is known, and boxCommands inverts gameCommands.
func TestCommands(t *testing.T) {
	for c, of := range gameCommands {
		if !c.Known() || strings.ToUpper(string(c)) != string(c) {
			t.Errorf("%s is no command", c)
		}
		if of != "" && boxCommands[of] != c {
			t.Errorf("%s: %s comes back as %s", c, of, boxCommands[of])
		}
	}
	if len(gameCommands) != 31 || len(boxCommands) != 25 || Command("GAME_ON").Known() {
		t.Errorf("%d commands, %d of the game", len(gameCommands), len(boxCommands))
	}
}
