package recorder

// Topics that every recording has.
const (
	Episodes  = "/omnipitch/episodes"
	Commands  = "/omnipitch/commands"
	Inputs    = "/omnipitch/inputs"
	Truth     = "/omnipitch/truth"
	Touches   = "/omnipitch/touches"
	Levels    = "/omnipitch/levels"
	Game      = "/omnipitch/game"
	Verdicts  = "/omnipitch/verdicts"
	Decisions = "/omnipitch/decisions"
	Hashes    = "/omnipitch/hashes" // where there are no exact states
	Switches  = "/omnipitch/recording"
)

// Topics of a recording with exact states.
const (
	States    = "/omnipitch/states"
	KeyFrames = "/omnipitch/key_frames"
)

// Keys of a recording's metadata. Its attachments are the files of the world, as worlds.Bundle has them.
const (
	Version        = "version"
	Seed           = "seed"
	WorldName      = "world"
	Referee        = "referee" // of the world; missing where it is off
	Machine        = "machine" // processor architecture and operating system: states are the same on the same
	Renderer       = "renderer"
	InstructionSet = "instruction_set"
	Begun          = "begun" // BegunLate of one that began while its run went on; missing of others
)

// BegunLate is the value of key Begun of a recording that has nothing of what its run took from outside before its
// first key frame.
const BegunLate = "late"
