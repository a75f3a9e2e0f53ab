package viewer

import (
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// docs/window.md lists the inputs of the window's help in the same words.
func TestTheDocumentationHasTheHelp(t *testing.T) {
	text, err := os.ReadFile("../../docs/window.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows []HelpLine
	for _, line := range strings.Split(string(text), "\n") {
		if cells := strings.Split(line, "|"); len(cells) == 4 {
			rows = append(rows, HelpLine{strings.Trim(cells[1], " `"), strings.Trim(cells[2], " ")})
		}
	}
	for _, h := range Help() {
		if !slices.Contains(rows, h) {
			t.Errorf("docs/window.md has no row | %s | %s |", h.Input, h.Does)
		}
	}
}

// The help names every key that does something.
func TestTheHelpNamesEveryKey(t *testing.T) {
	var all strings.Builder
	for _, h := range Help() {
		all.WriteString(h.Input + " ")
	}
	words := strings.FieldsFunc(all.String(), func(r rune) bool { return r == ' ' || r == ',' })
	for k := 'A'; k <= 'Z'; k++ {
		v, untouched := start(), start()
		press(v, "T ")
		press(untouched, "T ")
		press(v, string(k))
		does := v.paused != untouched.paused || v.steps != 0 || v.overlays != untouched.overlays || v.insets != untouched.insets || v.help != untouched.help ||
			v.through != untouched.through || v.followed != untouched.followed || v.driven != untouched.driven || v.dribble || v.closing ||
			v.Steering() != untouched.Steering() || k == 'R' || k == 'T' && v.held['T']
		if named := slices.Contains(words, string(k)); does != named {
			t.Errorf("%c does something: %v; the help names it: %v", k, does, named)
		}
	}
	for _, h := range Help() {
		if strings.IndexFunc(h.Input+h.Does, func(r rune) bool { return r > unicode.MaxASCII }) >= 0 || 7*len(h.Does) > 640-150-8 {
			t.Errorf("%q: the font lacks a letter, or the line is too long for its box", h)
		}
	}
}

func TestOverlaysAndReplayKeys(t *testing.T) {
	v := start()
	press(v, "LXBVP")
	for o := range Overlays {
		if !v.Shows(o) {
			t.Errorf("overlay %d is not shown", o)
		}
	}
	press(v, "L") // is still held down
	if !v.Shows(Labels) {
		t.Error("a key that is held down switches again")
	}
	v.Handle(Event{Kind: Release, Key: 'L'})
	press(v, "L")
	if v.Shows(Labels) {
		t.Error("labels are still shown")
	}
	press(v, "++-"+string(PageDown)+string(PageDown)+string(PageUp)+string(PageDown)+string(Home))
	if n := v.TakeFaster(); n != 1 || v.TakeFaster() != 0 {
		t.Errorf("%d steps faster, want 1, once", n)
	}
	by, beginning := v.TakeSeek()
	if by != 2*seekBy || !beginning {
		t.Errorf("seek by %v, to the beginning %v; want 20 s and true", by, beginning)
	}
	if by, beginning = v.TakeSeek(); by != 0 || beginning {
		t.Error("one key is not one jump")
	}
	press(v, " .N")
	if v.TakeSteps() != 2 {
		t.Error(". and N are not two steps")
	}
	v.SetPaused(false)
	if v.Paused() {
		t.Error("still paused")
	}
}
