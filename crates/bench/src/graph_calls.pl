# Draws graphs with RRDs::graph, and prints how many seconds that took: by the clock, and of the
# processor. Each line of standard input is a name, a blank and the words of a graph, quoted as in
# rrdtool's pipe mode.
use strict;
use warnings;
use RRDs;
use Time::HiRes qw(time);

my @graphs;
while (my $line = <STDIN>) {
    my @words;
    while ($line =~ /((?:'[^']*'|"[^"]*"|[^\s'"])+)/g) {
        (my $word = $1) =~ s/'([^']*)'|"([^"]*)"/defined $1 ? $1 : $2/ge;
        push @words, $word;
    }
    my $name = shift @words;
    unlink "$name.png";    # --lazy would leave it alone
    push @graphs, ["$name.png", @words];
}
my ($begin, @used) = (time, times);
for my $graph (@graphs) {
    RRDs::graph(@$graph);
    my $error = RRDs::error;
    die "$graph->[0]: $error" if $error;
}
my @after = times;
printf "%.6f %.6f %.6f\n", time - $begin, $after[0] - $used[0], $after[1] - $used[1];
