package recorder

// Names of topics that every recording has.
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
	Hashes    = "/omnipitch/hashes" // hashes of the states of steps without exact states
	Switches  = "/omnipitch/recording"
)

// Names of topics that only a recording with exact states has.
const (
	States    = "/omnipitch/states"
	KeyFrames = "/omnipitch/key_frames"
)

// Keys of the metadata of a recording. The attachments of a recording are the files of the world, as worlds.Bundle
// returns them.
const (
	Version        = "version"
	Seed           = "seed"
	WorldName      = "world"
	Referee        = "referee" // referee of the world; missing if it is off
	Machine        = "machine" // processor architecture and operating system: equal machines compute equal states
	Renderer       = "renderer"
	InstructionSet = "instruction_set"
	Begun          = "begun" // BegunLate if the recording began during the run; else missing
)

// BegunLate is the value of the key Begun in a recording that began during the run. Such a recording lacks the inputs
// before its first key frame.
const BegunLate = "late"
