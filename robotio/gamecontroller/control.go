package gamecontroller

// Version is the version of a control packet.
type Version uint8

// The versions, with the leagues that use them.
const (
	Humanoid12 Version = 12 // Humanoid League
	Standard18 Version = 18 // Standard Platform League
	Soccer19   Version = 19 // Humanoid Soccer League
	Soccer20   Version = 20 // Humanoid Soccer League, from July 2026
)

// MaxPlayers is the number of robots that a packet has room for in each team. Robot 1 is the first.
const MaxPlayers = 20

// NoTeam is the number that stands for none of the teams.
const NoTeam = 255

// Control is the content of a control packet: the state of a game.
type Control struct {
	Version     Version
	True        bool  // the true state, for monitors; robots get a state that may be delayed
	Packet      uint8 // counts the packets
	Players     uint8 // robots of a team that may play at once
	Competition uint8 // the league's number of the kind of competition, such as 0 for small robots
	Playoff     bool  // version 18: not a round-robin game
	Stopped     bool  // versions 19 and 20: the referee has interrupted play
	Phase       Phase
	State       State
	SetPlay     SetPlay
	Step        SetPlayStep // version 12, with a set play other than a kick-off
	FirstHalf   bool
	Kicking     uint8  // number of the team of the kick-off or set play, or NoTeam
	DropInTeam  uint8  // version 12: number of the team that last put the ball out of play
	DropIn      uint16 // version 12: s since then
	Left        int16  // s until the end of the half
	Secondary   int16  // s until the end of the shorter time that runs beside the half, such as that of a set play
	Teams       [2]Team
}

// Team is a team of a Control. In version 12, Keeper and KeeperColour are unused: see Robot.Keeper. From version 18 on,
// the first team defends the left goal.
type Team struct {
	Number       uint8
	Colour       Colour // of the field players
	KeeperColour Colour
	Keeper       uint8 // number of the goalkeeper; 0 if there is none
	Score        uint8
	PenaltyShot  uint8  // number of penalty shots taken
	SingleShots  uint16 // bit i is set if penalty shot i scored, counted from 0
	Budget       uint16 // number of messages that the team may still send; from version 18
	Robots       [MaxPlayers]Robot
}

// Robot is a robot of a Team. Version 12 has room for 11 robots.
type Robot struct {
	Penalty  Penalty
	Left     uint8 // s until the penalty ends
	Warnings uint8 // versions 12 and 19
	Cautions uint8 // versions 12, 19 and 20: yellow cards
	Red      uint8 // version 12: red cards
	Keeper   uint8 // version 12: 1 for the goalkeeper
}

// Phase is the part of a game.
type Phase uint8

// The parts. During a time-out, the state is Initial.
const (
	Normal Phase = iota
	Shootout
	ExtraTime
	Timeout
)

// State is the state of a game.
type State uint8

// The states.
const (
	Initial  State = iota
	Ready          // robots walk to their places
	Set            // robots stand still
	Playing        // the ball is in play, or a set play is
	Finished       // the half is over
	Standby        // version 18: robots watch for the referee's gesture
)

// SetPlay is the set play that has been given, other than a kick-off.
type SetPlay uint8

// The set plays.
const (
	NoSetPlay SetPlay = iota
	DirectFreeKick
	IndirectFreeKick
	PenaltyKick
	ThrowIn
	GoalKick
	CornerKick
)

// SetPlayStep is the step of a set play in version 12. Source: the comments of a public client, robocup_demo.
type SetPlayStep uint8

// The steps.
const (
	StepStop     SetPlayStep = iota // robots stand still
	StepGetReady                    // robots walk to their places
	StepSet                         // robots stand still until play goes on
)

// Penalty is the reason for which a robot must not play.
type Penalty uint8

// The reasons. The versions have different ones: see the tables of codes.
const (
	NoPenalty Penalty = iota
	IllegalPosition
	MotionInSet
	MotionInStop
	LocalGameStuck
	Incapable
	PickUp
	BallHolding
	LeavingTheField
	PlayingWithHands
	Pushing
	Cautioned
	SentOff
	Substitute
	IllegalPositionInSet
	PlayerStance
	MotionInStandby
	Manual
	BallManipulation
	PhysicalContact
	IllegalAttack
	IllegalDefense
	Service
	penalties // their number
)

// Colour is the colour of jerseys.
type Colour uint8

// The colours.
const (
	Blue Colour = iota
	Red
	Yellow
	Black
	White
	Green
	Orange
	Purple
	Brown
	Gray
)
