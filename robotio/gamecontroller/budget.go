package gamecontroller

import (
	"fmt"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/worlds/action"
	"github.com/omnipitch/omnipitch/worlds/game"
	"github.com/omnipitch/omnipitch/worlds/radio"
)

// budget counts the messages that teammates send each other by radio. A team that sends too many in a game, or one that
// is too long, loses its goals: those that it has scored, and those that it scores later.
type budget struct {
	radios  []radio.Status // reused
	sent    [2]uint64      // messages of each team since the world's start
	counted [2]uint64      // those of them that count
	void    [2]bool        // whether the team's goals do not count
}

// limits returns a team's number of messages in a game, and the size of the largest, in bytes. Both are 0 for leagues
// without such limits. Sources: the parameters of the GameControllers of both leagues.
func (v Version) limits() (messages uint64, size int) {
	switch v {
	case Soccer19, Soccer20:
		return 12_000, 512
	case Standard18:
		return 1_200, 128
	}
	return 0, 0
}

// left returns the number of messages that a team may still send.
func (b *budget) left(team int, v Version) uint16 {
	messages, _ := v.limits()
	return uint16(messages - min(b.counted[team], messages))
}

// count counts the messages of a step. Before and between the halves and in a penalty shoot-out, messages are free.
func (b *budget) count(s *Server) {
	messages, size := s.cfg.Version.limits()
	if messages == 0 {
		return
	}
	is, board := s.sim.Match().Game(), s.sim.Match().Scoreboard()
	free := is.Half == game.PreGame || is.Between() || board.Shootout(is) || !board.Runs() && is.Phase == game.Stopped
	b.radios = s.sim.Match().AppendRadioStatus(b.radios[:0])
	robots := s.sim.World().Robots
	for i, team := range bothTeams {
		sent, largest := uint64(0), 0
		for k := range b.radios {
			if robots[k].Team == team {
				sent, largest = sent+b.radios[k].Sent, max(largest, b.radios[k].Largest)
			}
		}
		if !free && sent > b.sent[i] {
			b.counted[i] += sent - b.sent[i]
		}
		b.sent[i] = sent
		switch was := b.void[i]; {
		case largest > size:
			b.void[i] = true
			if !was {
				s.cfg.Say(fmt.Sprintf("GameController: %s: a message of %d bytes, more than %d: its goals do not count", team,
					largest, size))
			}
		case b.counted[i] > messages:
			b.void[i] = true
			if !was {
				s.cfg.Say(fmt.Sprintf("GameController: %s: more than %d messages: its goals do not count", team, messages))
			}
		}
		if b.void[i] {
			s.takeGoals(team, is.Score.Of(team))
		}
	}
}

// takeGoals takes goals from a team.
func (s *Server) takeGoals(team physics.Team, goals int) {
	for range goals {
		if err := s.sim.Do(&action.GameCommand{Command: game.SubGoal, Team: team}); err != nil {
			s.limit.Do(func() { s.cfg.Say(fmt.Sprintf("GameController: %s: %v", game.SubGoal, err)) })
			return
		}
	}
}
