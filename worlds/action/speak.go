package action

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
)

// Speak makes a robot say something to people. It changes nothing in the world, and no microphone hears it: see
// Match.OnSpeech.
type Speak struct {
	Robot    string `toml:"robot" required:"true"`
	Text     string `toml:"text" doc:"what the robot says, at most 1000 bytes"`
	Priority int    `toml:"priority" range:"[0, 2]" doc:"2 is said before 1, and 1 before 0"`
	File     string `toml:"file" doc:"name of a file on the robot that it reads out instead, at most 1000 bytes"`
}

// maxSpeech is the largest length of a text or a name, in bytes. It is a guess: a minute of speech.
const maxSpeech = 1000

func (s *Speak) Validate(w World) error {
	_, err := w.FindRobot(s.Robot)
	return cmp.Or(violation("robot", s.Robot, err), s.check())
}

// check returns an error for a text that is too long.
func (s *Speak) check() error {
	if n := max(len(s.Text), len(s.File)); n > maxSpeech {
		return violation("text", fmt.Sprintf("%.20s…", cmp.Or(s.File, s.Text)),
			fmt.Errorf("has %d bytes: must have at most %d", n, maxSpeech))
	}
	return nil
}

func (s *Speak) Do(sim Simulation) error {
	if _, err := sim.Robot(s.Robot); err != nil {
		return err
	}
	if err := s.check(); err != nil {
		return err
	}
	sim.Speak(*s)
	return nil
}

// String returns what people hear, such as "kid1 says: I am falling", on one line without control characters.
func (s Speak) String() string {
	text := s.Robot + " says: " + s.Text
	if s.File != "" {
		text = s.Robot + " reads file " + s.File
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, text)
}
