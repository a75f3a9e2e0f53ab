package refbox

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/omnipitch/omnipitch/physics"
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

// read returns all messages of a reader, with "too long" for ErrTooLong.
func read(r io.Reader) (all []string, end error) {
	for in := NewReader(r); ; {
		m, err := in.Next()
		switch {
		case err == nil:
			all = append(all, string(m))
		case errors.Is(err, ErrTooLong):
			all = append(all, "too long")
		default:
			return all, err
		}
	}
}

func TestReader(t *testing.T) {
	long := strings.Repeat("x", MaxMessage)
	for _, c := range []struct {
		name, in string
		want     []string
		end      error
	}{
		{"nothing", "", nil, io.EOF},
		{"two at once", "a\x00bc\x00", []string{"a", "bc"}, io.EOF},
		{"empty ones", "\x00\x00a\x00\x00", []string{"a"}, io.EOF},
		{"the end in the middle", "a\x00b", []string{"a"}, io.ErrUnexpectedEOF},
		{"as long as may be", long + "\x00a\x00", []string{long, "a"}, io.EOF},
		{"one byte longer", long + "x\x00a\x00", []string{"too long", "a"}, io.EOF},
		{"10 MB without an end", strings.Repeat("x", 10_000_000), []string{"too long"}, io.ErrUnexpectedEOF},
		{"10 MB, and another", strings.Repeat("x", 10_000_000) + "\x00a\x00", []string{"too long", "a"}, io.EOF},
	} {
		for way, r := range map[string]io.Reader{"whole": strings.NewReader(c.in),
			"half":     iotest.HalfReader(strings.NewReader(c.in)),
			"one byte": iotest.OneByteReader(strings.NewReader(c.in))} {
			if got, end := read(r); !slices.Equal(got, c.want) || end != c.end {
				t.Errorf("%s, %s at a time: %d messages, %v, want %d, %v", c.name, way, len(got), end, len(c.want),
					c.end)
			}
		}
	}
}

// The reader does not buffer more than MaxMessage of a message that is too long.
func TestReaderForgets(t *testing.T) {
	r := NewReader(strings.NewReader(strings.Repeat("x", 10_000_000)))
	for {
		if _, err := r.Next(); errors.Is(err, io.ErrUnexpectedEOF) {
			break
		}
	}
	if n := cap(r.message); n > 2*MaxMessage {
		t.Errorf("keeps %d bytes", n)
	}
}

// The messages do not depend on how the stream is split into reads.
func FuzzReader(f *testing.F) {
	f.Add([]byte("a\x00\x00bc\x00d"), 3)
	f.Add([]byte{0}, 1)
	f.Fuzz(func(t *testing.T, in []byte, part int) {
		if part < 1 || part > 1<<16 {
			return
		}
		parts := slices.Collect(slices.Chunk(in, part))
		readers := make([]io.Reader, len(parts))
		for i, p := range parts {
			readers[i] = bytes.NewReader(p)
		}
		got, end := read(io.MultiReader(readers...))
		var want []string
		all := bytes.Split(in, []byte{0})
		for _, m := range all[:len(all)-1] {
			switch {
			case len(m) > MaxMessage:
				want = append(want, "too long")
			case len(m) > 0:
				want = append(want, string(m))
			}
		}
		wantEnd := io.EOF
		if rest := all[len(all)-1]; len(rest) > 0 {
			wantEnd = io.ErrUnexpectedEOF
			if len(rest) > MaxMessage {
				want = append(want, "too long")
			}
		}
		if !slices.Equal(got, want) || end != wantEnd {
			t.Errorf("%q, %v, want %q, %v", got, end, want, wantEnd)
		}
	})
}
