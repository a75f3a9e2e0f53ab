package rcsssmj

import (
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/testdata/simtest"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/game"
)

// The play modes follow the game from kick-off to the end. Robots may be beamed before kick-offs only.
func TestPlayModes(t *testing.T) {
	sim := simtest.New(t, simtest.World(t, "hsl-match", func(w *worlds.World) {
		w.Referee, w.Expect = worlds.RefereeGameController, nil
	}), omnipitch.Options{})
	v := newView(sim.Sim)
	sim.OnStep(v.observe)
	for _, c := range []struct {
		command action.GameCommand
		want    string
		beams   bool
	}{
		{action.GameCommand{Command: game.FirstHalf}, "BeforeKickOff", true},
		{action.GameCommand{Command: game.Kickoff, Team: "cyan"}, "BeforeKickOff", true},
		{action.GameCommand{Command: game.Start}, "KickOff_Left", false},
		{action.GameCommand{Command: game.Stop}, "BeforeKickOff", true},
		{action.GameCommand{Command: game.Corner, Team: "magenta"}, "corner_kick_right", false},
		{action.GameCommand{Command: game.Goal, Team: "magenta"}, "corner_kick_right", false},
		{action.GameCommand{Command: game.Stop}, "Goal_Right", true},
		{action.GameCommand{Command: game.Kickoff, Team: "cyan"}, "Goal_Right", true},
		{action.GameCommand{Command: game.Set}, "BeforeKickOff", true},
		{action.GameCommand{Command: game.Start}, "KickOff_Left", false},
		{action.GameCommand{Command: game.Stop}, "BeforeKickOff", true},
		{action.GameCommand{Command: game.ThrowIn, Team: "cyan"}, "KickIn_Left", false},
		{action.GameCommand{Command: game.HalfTime}, "BeforeKickOff", true},
		{action.GameCommand{Command: game.SecondHalf}, "BeforeKickOff", true},
		{action.GameCommand{Command: game.Kickoff, Team: "magenta"}, "BeforeKickOff", true},
		{action.GameCommand{Command: game.Start}, "KickOff_Right", false},
		{action.GameCommand{Command: game.EndGame}, "GameOver", false},
	} {
		must.Do(t, sim.Do(&c.command))
		sim.Steps(2)
		must.Equal(t, v.mode, c.want, "after %s", c.command.Command)
		must.Equal(t, v.beams, c.beams, "beams after %s", c.command.Command)
	}
	got := string(v.append(nil, [2]string{"A", ""}, sim.Clock().Time()))
	if !strings.HasPrefix(got, "(GS (t ") || !strings.HasSuffix(got, ")(pm GameOver)(tl A)(sl 0)(sr 1))") {
		t.Errorf("%s", got)
	}
}
