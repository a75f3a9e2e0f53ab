const teams = ['cyan', 'magenta']

/** byTeam returns robots in the order in which people read them: cyan's first, each team by number. The world's own order is that of states. */
export const byTeam = robots => [...robots].sort((a, b) => teams.indexOf(a.team) - teams.indexOf(b.team) || a.number - b.number)
