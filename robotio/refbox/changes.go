package refbox

import "github.com/omnipitch/omnipitch/worlds/game"

// changes returns the messages that change a game from one state to another. Boxes have no command set.
func (s *Server) changes(was, is game.State) (all []Message) {
	for _, o := range game.Changes(was, is) {
		if c := boxCommands[o.Command]; c != "" {
			all = append(all, Message{Command: c, TargetTeam: s.Address(o.Team)})
		}
	}
	return all
}

// robotChanges returns the commands that change a robot's standing. Boxes have a command for the return of a robot
// after a repair, but none for other returns. They know penalised robots as robots under repair.
func robotChanges(was, is game.Standing) (all []Command) {
	if is.Yellow > was.Yellow {
		all = append(all, boxCommands[game.YellowCard])
	}
	repaired := was.Out == game.Repair || was.Out == game.Penalise
	switch {
	case is.Out == was.Out:
	case is.Out == game.Penalise:
		all = append(all, boxCommands[game.Repair])
	case is.Out == "" && repaired, is.Out == game.Unpenalise:
		all = append(all, boxCommands[game.RepairEnd])
	case is.Out != "":
		all = append(all, boxCommands[is.Out])
	}
	return all
}
